#!/usr/bin/env bats
# missing.bats - a backend whose interpreter or library is not installed is not available: no command counts it as a crash.
load common

# Writes the backend `script`, which cannot start in the way of that name.
script_that_lacks() { # WAY
    mkdir -p "$dir/fake"
    case $1 in
    interpreter) printf '#!/nonexistent/python9 -u\n' ;;
    by-env) printf '#!/usr/bin/env python9nowhere\n' ;;
    env-with-options) printf '#!/usr/bin/env -S python9nowhere -u\n' ;;
    from-shell) printf '#!/bin/sh\nexec python9nowhere "$0" "$@"\n' ;;
    not-executable) printf '#!/bin/sh\nexec /dev/null "$@"\n' ;;
    library) printf '#!/bin/sh\necho "error while loading shared libraries: libnone.so.9" >&2\nexit 127\n' ;;
    esac >"$dir/fake/abdb-run-script"
    chmod +x "$dir/fake/abdb-run-script"
    export ABDB_BACKENDS=$dir/fake
}
ways="interpreter by-env env-with-options from-shell not-executable library"

@test "a backend with a missing interpreter or library is absent in run, run --list and doctor" {
    for way in $ways; do
        script_that_lacks $way
        rm -f "$ABDB_DB"
        run abdb run --quick --kernel gemm --axis n=8 --axis dtype=f32 2>&1
        echo "$way: $output"
        fails 0 "cells measured"
        [ "$(ask "SELECT count(*) FROM v_run WHERE backend = 'script' OR status = 'crash'")" = 0 ]
        run abdb run --list
        fails 0 "script     absent: "
        run abdb doctor
        fails 0 "-- script"
        no grep -q '^ *! .*script' <<<"$output"
    done
}

@test "a named backend that cannot start gives a row without a device, exit 5, and the missing file" {
    for way in $ways; do
        script_that_lacks $way
        rm -f "$ABDB_DB"
        case $way in
        interpreter) what="needs /nonexistent/python9, which is not here" ;;
        by-env | env-with-options) what="needs python9nowhere, which is not here" ;;
        *) what="that $dir/fake/abdb-run-script needs is not here" ;;
        esac
        run abdb run --quick --kernel gemm --axis n=8 --backend script
        [ "$status" -eq 5 ]
        [ "$(ask "SELECT status FROM v_run")" = no-device ]
        [[ $(ask "SELECT reason FROM v_run") == *"$what"* ]]
        run abdb check-backend script
        [ "$status" -eq "$(grep -w BACKEND "$root/schema/core/status.def" | grep -o '[0-9]\+' | head -1)" ]
        [[ $output == *"$what"* ]]
    done
}

@test "a backend that ends with code 127 after its hello is stored as a crash" {
    mkdir fake
    cat >fake/abdb-run-late <<'B'
#!/bin/sh
echo '{"kind":"hello","protocol":1,"backend":"late","summary":"for tests","kernels":[]}'
echo '{"kind":"environment","environment":{}}'
echo '{"kind":"device","name":"x","devices":1,"threads":1,"clock":"c","clock_resolution_s":1e-9,"clock_cost_s":1e-9}'
[ "$1" = describe ] && { echo '{"kind":"bye"}'; exit; }
read -r request
exit 127
B
    chmod +x fake/abdb-run-late
    ABDB_BACKENDS=$dir/fake run abdb run --quick --kernel gemm --axis n=8 --backend late
    fails 5 crash
}

@test "without python3 the backend torch is absent and names python3" {
    mkdir bin program
    for tool in sh env; do ln -s "$(command -v $tool)" bin/; done
    cp "$build"/abdb "$build"/abdb-run-{ref,vec,torch} program/
    run env -i PATH="$dir/bin" HOME="$dir" ABDB_DB="$ABDB_DB" program/abdb run --quick --kernel gemm --axis n=8 --axis dtype=f32
    fails 0 "1 cell measured"
    [[ $output != *"not found"* && $output != *crash* ]]
    run env -i PATH="$dir/bin" HOME="$dir" ABDB_DB="$ABDB_DB" program/abdb doctor
    fails 0 "apt-get install python3"
    [[ $output != *"! "*torch* ]]
    run env -i PATH="$dir/bin" HOME="$dir" ABDB_DB="$ABDB_DB" ABDB_PYTHON=/nonexistent/python program/abdb run --quick --kernel gemm --axis n=8 --backend torch
    fails 5 "or without a device"
    [ "$(ask "SELECT status FROM v_run WHERE backend = 'torch'")" = no-device ]
    [[ $output == *"apt-get install python3"* ]]
    # quiet is about progress: why nothing was measured is still printed
    run env -i PATH="$dir/bin" HOME="$dir" ABDB_DB="$ABDB_DB" ABDB_PYTHON=/nonexistent/python program/abdb run -q --quick --kernel gemm --axis n=8 --backend torch
    fails 5 "torch: python3 is not here"
}
