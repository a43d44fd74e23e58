"""Plays a client of the Model Context Protocol that has nothing but `abdb` in PATH and a database, and prints the conversation.

    ask_by_mcp.py VERSION DATABASE    four calls: initialize (or server/discover), tools/list, query, explain; exits with 1 unless the last cites the number of the third

Lines of the client begin with "> ", those of the server with "< ".
"""
import json
import subprocess
import sys

QUESTION = "SELECT key, device, value, unit FROM v_mlperf WHERE metric = 'tokens_per_s' ORDER BY value DESC, key LIMIT 1"


def main(version, database):
    member = "io.modelcontextprotocol/"
    envelope = {"_meta": {member + "protocolVersion": version, member + "clientCapabilities": {}}} if version >= "2026" else {}
    server = subprocess.Popen(["abdb", "mcp", "--db", database], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def send(message):
        line = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":"))
        print("> " + line)
        server.stdin.write(line + "\n")
        server.stdin.flush()

    def ask(number, method, **params):
        send({"id": number, "method": method, **({"params": params | envelope} if params or envelope else {})})
        line = server.stdout.readline()
        print("< " + line, end="")
        answer = json.loads(line)
        assert answer["id"] == number and answer["jsonrpc"] == "2.0", answer
        return answer["result"]

    if envelope: # a version without a handshake
        begun = ask(1, "server/discover")
        assert version in begun["supportedVersions"] and begun["resultType"] == "complete", begun
    else:
        begun = ask(1, "initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "client", "version": "1"})
        assert begun["protocolVersion"] == version, begun
        send({"method": "notifications/initialized"})
    tools = {tool["name"] for tool in ask(2, "tools/list")["tools"]}
    assert {"query", "explain"} <= tools, tools
    asked = ask(3, "tools/call", name="query", arguments={"report": QUESTION})
    row = asked["structuredContent"]["rows"][0]
    footnotes = asked["structuredContent"]["notes"]
    cited = ask(4, "tools/call", name="explain", arguments={"what": row["key"]})["structuredContent"]
    fact = cited["rows"][0]
    server.stdin.close()
    assert server.wait(20) == 0
    assert fact["key"] == row["key"] and fact["value"] == row["value"] and fact["unit"] == row["unit"], (row, fact)
    assert fact["source"] and fact["title"] and fact["locator"], fact
    assert any(note.startswith("[1] ") and "MLPerf" in note for note in footnotes), footnotes


if __name__ == "__main__":
    main(*sys.argv[1:])
