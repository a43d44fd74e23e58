# plant_mistake.bash - for scripts of programs that are wrong on purpose: --only REGEX and --check, a room that goes with the script, and one mistake in a file.
only=. check=
while [ $# -gt 0 ]; do
    case $1 in
    --only) only=$2 && shift ;;
    --check) check=yes ;;
    esac
    shift
done
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
mistake() { # ID FILE FROM TO OUT: the file with TO for FROM, which stands in it once
    FROM=$3 TO=$4 perl -0777 -pe 'BEGIN { $n = 0 } s/\Q$ENV{FROM}\E/$n++; $ENV{TO}/ge; END { exit($n != 1) }' "$2" >"$5" ||
        { echo "$1: $2 has not exactly one '$3'"; exit 1; }
}
