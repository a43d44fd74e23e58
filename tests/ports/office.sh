#!/usr/bin/env bash
# office.sh - a sheet that LibreOffice writes as text under German, French and Swiss settings, with and without thousands marks, has the
# results and prices of the same sheet written plainly. In TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
command -v soffice >/dev/null || { echo "1..0 # SKIP LibreOffice is not installed (Debian: libreoffice-calc-nogui)"; exit 0; }
[ -x "${BUILD:-build}/abdb" ] || tests/checks/build_targets.sh all || exit 1
build=${BUILD:-build} dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export ABDB_DATA=data ABDB_PATH=/nonexistent
sheet=tests/fixtures/locales
. tests/ports/ok.sh

# A sheet of the plain file, as an office program keeps it: numbers with thousands marks and three places, or as they come.
write_sheet() { # FILE GROUPED
    awk -F, -v grouped="$2" '
        BEGIN {
            print "<?xml version=\"1.0\" encoding=\"UTF-8\"?><office:document xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" xmlns:style=\"urn:oasis:names:tc:opendocument:xmlns:style:1.0\" xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\" xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\" xmlns:number=\"urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0\" office:version=\"1.2\" office:mimetype=\"application/vnd.oasis.opendocument.spreadsheet\"><office:automatic-styles>"
            print "<number:number-style style:name=\"N1\"><number:number number:decimal-places=\"3\" number:min-decimal-places=\"3\" number:min-integer-digits=\"1\" number:grouping=\"true\"/></number:number-style>"
            print "<number:number-style style:name=\"N0\"><number:number number:decimal-places=\"0\" number:min-integer-digits=\"1\" number:grouping=\"true\"/></number:number-style>"
            print "<style:style style:name=\"c1\" style:family=\"table-cell\" style:data-style-name=\"N1\"/><style:style style:name=\"c0\" style:family=\"table-cell\" style:data-style-name=\"N0\"/>"
            print "</office:automatic-styles><office:body><office:spreadsheet><table:table table:name=\"sheet\">"
        }
        {
            printf "<table:table-row>"
            for (i = 1; i <= NF; i++) {
                style = grouped ? " table:style-name=\"c" (i > 2) "\"" : ""
                if (NR > 1 && i > 1) printf "<table:table-cell office:value-type=\"float\" office:value=\"%s\"%s/>", $i, style
                else printf "<table:table-cell office:value-type=\"string\"><text:p>%s</text:p></table:table-cell>", $i
            }
            print "</table:table-row>"
        }
        END { print "</table:table></office:spreadsheet></office:body></office:document>" }' "$sheet/plain.csv" >"$1"
}
# LibreOffice under that language, which it takes from a folder of settings.
convert() { # LANGUAGE DELIMITER FILE
    mkdir -p "$dir/$1/user"
    cat >"$dir/$1/user/registrymodifications.xcu" <<X
<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>$1</value></prop></item></oor:items>
X
    timeout 120 soffice -env:UserInstallation="file://$dir/$1" --headless --convert-to "csv:Text - txt - csv (StarCalc):$2,34,76,1,,0,false,true,true" \
        --outdir "$dir" "$3" >"$dir/out" 2>&1
}
kept() { # FILE
    rm -f "$dir/t.db"
    "$build/abdb" import -q --db "$dir/t.db" --map "$sheet/sheet.map" "$1" >"$dir/out" 2>&1
    sqlite3 "$dir/t.db" "SELECT device, devices, metric, value FROM v_result ORDER BY 1, 3; SELECT devices, amount FROM price ORDER BY 1" 2>&1
}

echo "1..12"
plain=$(kept "$sheet/plain.csv")
[ "$(wc -l <<<"$plain")" = 16 ] || { echo "Bail out! the plain sheet is not read: $plain"; exit 1; }
for language in de-DE fr-FR de-CH; do
    for grouped in 0 1; do
        for delimiter in 59 9; do
            name=$language
            [ "$grouped" = 0 ] || name+=", thousands marks"
            [ "$delimiter" = 59 ] || name+=", tabs"
            write_sheet "$dir/sheet.fods" "$grouped"
            rm -f "$dir/sheet.csv"
            convert "$language" "$delimiter" "$dir/sheet.fods" && [ "$(kept "$dir/sheet.csv")" = "$plain" ] ||
                { cat "$dir/sheet.csv" >>"$dir/out" 2>&1; false; }
            ok "$name"
        done
    done
done
exit $failed
