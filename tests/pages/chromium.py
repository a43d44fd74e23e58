"""chromium.py - a headless Chromium that tests lead by its own protocol, over two pipes: open a page, evaluate, press keys."""
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile

PROGRAM = shutil.which("chromium")
SILENCE_S = 60


class Browser:
    """One page at a time; what its console says and every address that it asks for are kept."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # its children end a little later
        to_child, self.out = os.pipe()
        self.inp, from_child = os.pipe()
        # Chromium reads descriptor 3 and writes 4
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{to_child} 4>&{from_child}', "sh", PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", "about:blank"],
            pass_fds=(to_child, from_child), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.buffer, self.number, self.session = b"", 0, None
        self.console, self.asked, self.loaded = [], [], False
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.out)
        os.close(self.inp)
        self.profile.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.close()

    def _message(self):
        while b"\0" not in self.buffer:
            if not select.select([self.inp], [], [], SILENCE_S)[0]:
                raise RuntimeError(f"chromium has been silent for {SILENCE_S} s")
            more = os.read(self.inp, 1 << 20)
            if not more:
                raise RuntimeError("chromium ended")
            self.buffer += more
        one, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(one)

    def _note(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.console.append(params["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.console.append(params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.console.append(" ".join(str(a.get("value")) for a in params["args"]))
        elif method == "Network.requestWillBeSent":
            self.asked.append(params["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loaded = True

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)

    def size(self, width, height=900, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path, fragment=""):
        """path: of a file, or an address."""
        address = str(path) if str(path).startswith("http") else pathlib.Path(path).resolve().as_uri()
        for url in ("about:blank", address + fragment):  # from elsewhere: another fragment loads nothing
            self.loaded = False
            self.call("Page.navigate", url=url)
            while not self.loaded:
                self._note(self._message())
        self.js("new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(f)))")

    def js(self, code):
        """The value of an expression, promises awaited."""
        answer = self.call("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", str(answer)))
        return answer["result"].get("value")

    def key(self, name, code=None):
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if name == "Enter" and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=code or name,
                      windowsVirtualKeyCode={"Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38,
                                             "ArrowRight": 39, "ArrowDown": 40}.get(name, 0), **text)

    def type(self, words):
        self.call("Input.insertText", text=words)

    def picture(self, path, whole=True):
        import base64
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        pathlib.Path(path).write_bytes(base64.b64decode(answer["data"]))

    def choose(self, name, value):
        """As a reader does it: the control of that name gets the value and says so."""
        self.js(f"""(() => {{ const e = document.getElementById("choice").elements[{json.dumps(name)}]; e.value = {json.dumps(value)};
            e.dispatchEvent(new Event("change", {{bubbles: true}})); }})()""")
