# need.bash - for scripts: `need PROGRAM...` ends them with what is missing and where it comes from, instead of a table of nothing.
# A PROGRAM with a / is a file that `make` builds.
need() {
    local program package missing=()
    for program in "$@"; do
        case $program in
        */*) [ -x "$program" ] || missing+=("$program (make)") ;;
        *)
            package=$program
            case $program in
            psql) package=postgresql-client ;;
            mpirun) package=openmpi-bin ;;
            esac
            command -v "$program" >/dev/null || missing+=("$program (apt-get install $package)")
            ;;
        esac
    done
    [ ${#missing[@]} = 0 ] || { printf '%s needs %s\n' "${0##*/}" "$(IFS=, && echo "${missing[*]}")" >&2; exit 2; }
}
