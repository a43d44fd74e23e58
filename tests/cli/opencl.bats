#!/usr/bin/env bats
# opencl.bats - the backend opencl: devices by name, a small cell of every kernel, errors as rows, kept programs.
load common

# On the host's processors by PoCL, unless there is a GPU.
setup_file() {
    unset ABDB_OPENCL_DEVICE ABDB_DEVICE ABDB_OPENCL_OPTIONS OCL_ICD_VENDORS
}
need_device() {
    [ -x "$build/abdb-run-opencl" ] || skip "built without OpenCL: make deps, then make"
    "$build/abdb-run-opencl" describe 2>/dev/null | grep -q '"kind":"device"' || skip "no OpenCL device here (Debian: pocl-opencl-icd)"
}
# The answer to cells, one JSON object each: lines of "KERNEL STATUS VERIFIED CHOSEN".
cells() {
    printf '%s\n' "$@" | "$build/abdb-run-opencl" run 2>"$dir/errors" >"$dir/records"
    jq -r 'select(.kind == "end") | [.cell, .status, .reason] | join(" ")' "$dir/records"
}
cell() { # KERNEL key=value...
    local kernel=$1
    shift
    printf '%s\n' "$@" | jq -cRn --arg k "$kernel" '[inputs | select(. != "") | split("=") | {(.[0]): .[1]}] | add | {cell: ($k + " " + (to_entries | map(.key + "=" + .value) | join(","))), kernel: $k, quick: true, params: .}'
}

@test "opencl: a device is listed by its name in the database" {
    need_device
    run abdb run --list
    fails 0 "  opencl     OpenCL devices"
    name=$("$build/abdb-run-opencl" describe | jq -r 'select(.kind == "device").name')
    [ -n "$("$build/abdb-run-opencl" describe | jq -r 'select(.kind == "environment").environment.opencl_platform')" ]
    [[ $("$build/abdb-run-opencl" describe | jq -r 'select(.kind == "environment").environment.opencl_device') != *pthread* ]] ||
        same "$name" "$("$build/abdb-run-ref" describe | jq -r 'select(.kind == "device").name')"
    # all that ABDB_DEVICE can choose, each with what there is of it, unless one is chosen
    [[ $("$build/abdb-run-opencl" describe | jq -r 'select(.kind == "hello").devices[0] | .id + " " + .name') =~ ^1\ .+:\ .+\(driver\ .+,\ [0-9.]+\ GiB,\ [0-9]+\ compute\ units?\)$ ]]
    same "$(ABDB_OPENCL_DEVICE=1 "$build/abdb-run-opencl" describe | jq -c 'select(.kind == "hello").devices')" null
    same "$(ABDB_DEVICE=77 "$build/abdb-run-opencl" describe | jq -r 'select(.kind == "no-device").reason' | cut -d: -f1)" "no OpenCL device is called '77' (ABDB_DEVICE)"
}

@test "opencl: training of a network is verified down to its loss floor, with times of its parts" {
    need_device
    run cells "$(cell gpt-train model=tiny heads=4 micro_batch=8 accumulation=2 steps=60 rate=0.005)" "$(cell gpt-train model=tiny heads=4 dtype=bf16 sparsity=0.5 recompute=yes)" \
        "$(cell gpt-train model=tiny dtype=f64)"
    same "$(grep -c ' ok $' <<<"$output")" 2 || { cat "$dir/errors"; echo "$output"; return 1; }
    fails 0 "backend opencl lacks: parts of networks but in f32 and bf16"
    same "$(jq -r 'select(.kind == "result").verified' "$dir/records")" $'pass\npass'
    # the tokens that are learned: 64, so that the loss begins at ln 64; what follows each is uncertain by 1.75 bits, where it must end
    same "$(jq -s '[.[] | select(.kind == "metric" and (.cell | contains("steps=60")))] | (map(select(.metric == "loss_floor").value) | .[0]) as $floor |
        [.[] | select(.metric == "loss").value] | [(.[0] - (64 | log) | fabs) < 0.1, (.[-1] - $floor | fabs) < 0.1] | all' "$dir/records")" true
    # all parts are there, and what they take together is what the whole takes
    same "$(jq -s '[.[] | select(.kind == "span" and (.cell | contains("steps=60")))] | [([.[].name] | contains(["qkv product", "attention", "update"])),
        ([.[] | select(.kernel).time_s] | add) / ([.[] | select(.within | not).time_s] | add) > 0.9] | all' "$dir/records")" true
    same "$(jq -s '[.[] | select(.kind == "sample" and (.cell | contains("steps=60"))).time_s] as $s | [.[] | select(.kind == "span" and .within == null and (.cell | contains("steps=60"))).time_s] |
        add as $parts | ($s | min) <= 1.01 * $parts and $parts <= 1.01 * ($s | max)' "$dir/records")" true
}

@test "opencl: text generation is verified for each form of weights and each cache layout" {
    need_device
    run cells "$(cell llama-generate model=tiny batch=2 output_tokens=6 layout=table block=16)" "$(cell llama-generate model=tiny output_tokens=6 weights=i8)" \
        "$(cell llama-generate model=tiny batch=2 output_tokens=6 dtype=bf16 weights=i4 layout=list block=16)"
    same "$(grep -c ' ok $' <<<"$output")" 3 || { cat "$dir/errors"; echo "$output"; return 1; }
    same "$(jq -r 'select(.kind == "result").verified' "$dir/records")" $'pass\npass\npass'
}

@test "opencl: recommendation is verified for vectors and batches of any size; other formats are refused by name" {
    need_device
    run cells "$(cell dlrm model=tiny bytes=2236 batch=13)" "$(cell dlrm model=tiny bytes=222 batch=3 dtype=bf16)" "$(cell dlrm model=tiny batch=1 steps=3)" \
        "$(cell dlrm model=tiny dtype=f64)"
    same "$(grep -c ' ok $' <<<"$output")" 3 || { cat "$dir/errors"; echo "$output"; return 1; }
    fails 0 "backend opencl lacks: parts of networks but in f32 and bf16"
    same "$(jq -r 'select(.kind == "result").verified' "$dir/records")" $'pass\npass\npass'
    # each part is there, as often as the network has it
    same "$(jq -rs '[.[] | select(.kind == "span" and (.cell | contains("steps=3"))) | .name + " " + (.calls | tostring)] | join(", ")' "$dir/records")" \
        "inference 3, embeddings 3, bottom MLP 6, cross products 12, cross sums 6, top MLP 6"
}

@test "opencl: a missing kernel is named, and both providers of a product work" {
    need_device
    run cells "$(cell stream op=copy level=L1)" "$(cell attention pass=backward algorithm=plain sequence=32)" "$(cell gemm n=40 provider=nobody)"
    fails 0 "not-implemented a launch takes longer than a pass over a cache"
    fails 0 "not-implemented gradients are made in blocks only"
    fails 0 "not-implemented there is no such provider of it"
    "$build/abdb-run-opencl" describe | grep -q cl_khr_fp16 || {
        run cells "$(cell fma dtype=f16)"
        fails 0 "not-implemented this OpenCL device computes in no f16 (cl_khr_fp16)"
    }
    "$build/abdb-run-opencl" describe | grep -q '"provider":"clblast"' || skip "built without CLBlast"
    run cells "$(cell gemm n=400 provider=opencl tiles=search)" "$(cell gemm n=400 provider=clblast)"
    same "$(grep -c ' ok $' <<<"$output")" 2
    [[ $(jq -r 'select(.kind == "result" and (.cell | contains("search"))) | tostring' "$dir/records") =~ "tiles of "[0-9]+" x "[0-9]+", depth "[0-9]+", searched" ]]
    # all kernels of a launch are timed: samples fill a good part of the time between their beginnings
    same "$(jq -s '. as $all | [.[] | select(.kind == "result") | . as $r | [$all[] | select(.kind == "sample" and .cell == $r.cell)] as $s |
        ([$s[:-1][].time_s] | add) * $r.batch / $s[-1].t_s | select(. > 0.2 and . <= 1)] | length' "$dir/records")" 2
}

@test "opencl: the search skips tiles refused by the device; with all refused, the device error is the reason" {
    need_device
    cat >refuse.c <<'END'
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
/* The first product's tiles build nowhere; with REFUSE=all no tiles do. */
cl_int clBuildProgram(cl_program p, cl_uint n, const cl_device_id *d, const char *options, void (CL_CALLBACK *done)(cl_program, void *), void *data)
{
    cl_int (*real)(cl_program, cl_uint, const cl_device_id *, const char *, void (CL_CALLBACK *)(cl_program, void *), void *) = dlsym(RTLD_NEXT, "clBuildProgram");
    static char first[1024];

    if (options && strstr(options, "-DVECTORS=")) {
        if (!*first) strncpy(first, options, sizeof first - 1);
        if (strcmp(getenv("REFUSE"), "all") == 0 || strcmp(first, options) == 0) return CL_OUT_OF_RESOURCES;
    }
    return real(p, n, d, options, done, data);
}
END
    gcc -shared -fPIC -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=120 -o refuse.so refuse.c -ldl
    search() { XDG_CACHE_HOME=$dir/cache LD_PRELOAD=$dir/refuse.so REFUSE=$1 cells "$(cell gemm n=400 tiles=search provider=opencl)"; }
    run search first
    fails 0 " ok "
    rm -r cache # else what was found is kept
    run search all
    fails 0 CL_OUT_OF_RESOURCES
}

@test "opencl: overlong words of the user are refused, never truncated" {
    need_device
    options=$(printf -- '-DA%d=1 ' {1..200})
    ABDB_OPENCL_OPTIONS=$options run cells "$(cell stream n=4096 op=copy)"
    fails 0 "failed ABDB_OPENCL_OPTIONS is too long"
    long=$(printf 'x%.0s' {1..400})
    ABDB_OPENCL_DEVICE=$long run "$build/abdb-run-opencl" describe
    fails 0 "no OpenCL device is called '$long'"
}

@test "opencl: a launch error gives a row with its name, and the next cell runs" {
    need_device
    run abdb run --kernel stream --backend opencl --axis local=900000,1 --axis n=4096 --axis op=copy --quick
    fails 5 "1 cell measured, 1 failed"
    [[ $(ask "SELECT reason FROM v_kernel WHERE status = 'failed'") == *CL_INVALID_WORK_GROUP_SIZE* ]]
    run abdb run --kernel stream --backend opencl --axis threads=77 --axis n=4096 --axis op=copy --quick
    [[ $(ask "SELECT group_concat(reason, '|') FROM v_kernel WHERE status = 'failed'") == *"of the 77 threads"* ]]
}

@test "opencl: a program that fails to compile gives the log of the compiler" {
    need_device
    ABDB_OPENCL_OPTIONS=-Dlatency_is=+ run cells "$(cell latency bytes=4096 hops=10)"
    fails 0 " ok "
    ABDB_OPENCL_OPTIONS=-Dhops=+ run cells "$(cell latency bytes=4096 hops=10)"
    fails 0 "latency.cl does not build: CL_BUILD_PROGRAM_FAILURE"
    grep -q "latency.cl:[0-9]*:[0-9]*" "$dir/errors"
}

@test "opencl: a missing driver and a wrong device name give a message with advice" {
    [ -x "$build/abdb-run-opencl" ] || skip "built without OpenCL: make deps, then make"
    mkdir empty
    export OCL_ICD_VENDORS=$dir/empty
    run abdb run --list
    fails 0 "opencl     absent: there is no OpenCL device: no driver is registered in $dir/empty; Debian's pocl-opencl-icd"
    run abdb run --kernel stream --backend opencl --axis n=4096 --quick
    [ "$status" -ne 0 ]
    same "$(ask "SELECT status FROM v_kernel")" no-device
    [[ $(ask "SELECT reason FROM v_kernel") == *pocl-opencl-icd* ]]
    unset OCL_ICD_VENDORS
    need_device
    ABDB_OPENCL_DEVICE='no such thing' run cells "$(cell latency bytes=4096 hops=10)"
    fails 0 "no-device no OpenCL device is called 'no such thing' (ABDB_OPENCL_DEVICE): there is 1 '"
    ABDB_OPENCL_DEVICE=1 run cells "$(cell latency bytes=4096 hops=10)"
    fails 0 " ok "
}

@test "opencl: cached programs are reused, and rebuilt after damage" {
    need_device
    export XDG_CACHE_HOME=$dir/cache
    run cells "$(cell latency bytes=4096 hops=10)"
    fails 0 " ok "
    kept=("$XDG_CACHE_HOME"/abdb/opencl/*)
    same "${#kept[@]}" 1
    before=$(stat -c %i "${kept[0]}")
    run cells "$(cell latency bytes=4096 hops=10)"
    same "$(stat -c %i "${kept[0]}")" "$before" # it was read
    cp "${kept[0]}" whole
    printf '%s\n' 'substr($_, length($_) / 2, 1) ^= "\x01"' >flip # in the middle of the code, where no driver looks
    for damage in 'truncate -s 3000' 'truncate -s 0' 'perl -pi -e s/ELF/FLE/' 'perl -pi -e s/hops/hips/' 'perl -0777 -pi flip'; do
        cp whole "${kept[0]}"
        $damage "${kept[0]}"
        no cmp -s whole "${kept[0]}"
        cp "${kept[0]}" damaged
        run cells "$(cell latency bytes=4096 hops=10)"
        fails 0 " ok "
        same "$(jq -r 'select(.kind == "result").verified' "$dir/records")" pass
        cmp <(head -1 whole | cut -d' ' -f1,2) <(head -1 "${kept[0]}" | cut -d' ' -f1,2)
        [ "$(stat -c %s "${kept[0]}")" -gt 3000 ]
        ! cmp -s damaged "${kept[0]}" || { echo "used after $damage"; false; }
    done
    XDG_CACHE_HOME=/dev/null/none run cells "$(cell latency bytes=4096 hops=10)" # nowhere to keep it
    fails 0 " ok "
}

@test "opencl: every planted mistake of its table fits the sources" {
    run "$root/tests/mutants/opencl.sh" --check
    same "$status" 0
}

@test "opencl: threads of PoCL run on every processor while OpenMP binds its own" {
    need_device
    [ "$(nproc)" -gt 1 ] || skip "one processor"
    mkfifo in
    OMP_NUM_THREADS=2 OMP_PROC_BIND=close OMP_PLACES=cores "$build/abdb-run-opencl" run <in >out &
    pid=$!
    exec 7>in
    for ((i = 0; i < 300; i++)); do ! grep -q '"device"' out || break; sleep 0.1; done
    # the first two beside the main thread are the driver's
    cat $(ls -d /proc/$pid/task/* | sort -V | sed -n 2,3p | sed 's|$|/status|') | sed -n 's/^Cpus_allowed_list:\t//p' >allowed
    exec 7>&-
    wait $pid
    same "$(sort -u allowed)" "$(sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status)"
}
