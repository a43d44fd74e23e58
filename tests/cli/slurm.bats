#!/usr/bin/env bats
# slurm.bats - abdb run --slurm: the script that it makes, run with stand-ins of sbatch and scontrol. tests/ports/slurm.sh tries it with
# Slurm itself.
load common

# Stand-ins: sbatch runs each task of an array at once on a "node" and the job behind it afterwards, and notes how it was called.
stand_ins() {
    mkdir bin
    cat >bin/sbatch <<'SH'
#!/bin/bash
printf '%s\n' "$@" -- >>"$CALLS"
script=$(mktemp) tasks=(none) id=41
cat >"$script"
for a; do case $a in
    --array=*) a=${a#--array=}; mapfile -t tasks < <(seq "${a%-*}" "${a#*-}") ;;
    --chdir=*) cd "${a#--chdir=}" || exit ;;
    --dependency=*) id=42 ;;
esac; done
for t in "${tasks[@]}"; do
    name=n$t
    [ ! -e "$CALLS.$t" ] || name=$(cat "$CALLS.$t")
    if printf '%s\n' "$@" | grep -q '^--hold$'; then cp "$script" "$CALLS.held"; continue; fi
    SLURMD_NODENAME=$name SLURM_ARRAY_TASK_ID=$t sh "$script" >&2 || echo "task $t ended with $?" >>"$CALLS"
done
echo "$id;test"
SH
    cat >bin/scontrol <<'SH'
#!/bin/bash
echo scontrol "$@" >>"$CALLS"
case $1 in
show) [ "$3" = 'a[1-2],b' ] && printf 'a1\na2\nb\n' ;;
release) for t in a1 a2 b; do SLURMD_NODENAME=$t sh "$CALLS.held" >&2; done ;;
esac
SH
    chmod +x bin/*
    export CALLS=$dir/calls PATH=$dir/bin:$PATH
}

@test "a job array measures into one spool per node, and a second job imports; hostile words stay quoted" {
    stand_ins
    mkdir "it's a; touch evil1 \$(touch evil2)"
    tag="'; touch evil3; \$(touch evil4) \`touch evil5\` \"x\" \\"
    abdb run --slurm 2 --kernel stream --axis n=1000 --backend ref --quick --repeat 2 --tag "$tag" --time 00:10:00 --partition p1 --account me \
        --sbatch=--gres=gpu:1 --spool "it's a; touch evil1 \$(touch evil2)" --out job.sh
    [ ! -e calls ]
    cd / # the script knows its folders
    run sh "$dir/job.sh"
    cd "$dir"
    fails 0 "measured by job 41, imported by job 42"
    same "$(find . / -maxdepth 1 -name 'evil*')" ""
    same "$(abdb query "SELECT f.text, count(*) AS n, min(r.tag) AS tag FROM v_run r JOIN v_run_factor f USING (entry_id) WHERE f.factor = 'node' GROUP BY 1" -o jsonl |
        jq -c --arg tag "$tag" '[.text, .n, .tag == $tag]' | tr '\n' ' ')" '["n0",2,true] ["n1",2,true] '
    same "$(find it* -name 'c-*' | sed 's/.*\(n[01]\).c-.*/\1/' | sort | tr '\n' ' ')" "n0 n1 "
    for word in --array=0-1 --time=00:10:00 --partition=p1 --account=me --gres=gpu:1 --dependency=afterany:41 --exclusive --nodes=1; do grep -qx -- "$word" calls; done
    same "$(grep -cx -- --partition=p1 calls)" 2
    same "$(grep -cx -- --gres=gpu:1 calls)" 1 # importing needs no accelerator
    abdb import -q it* # once more: nothing twice
    same "$(ask "SELECT count(*) FROM v_run")" 4
}

@test "named nodes: each task is bound to its node before the release; --submit runs the script" {
    stand_ins
    mkdir spool
    run abdb run --slurm 'a[1-2],b' --kernel stream --axis n=1000 --backend ref --quick --spool spool --submit
    fails 0 "measured by job 41, imported by job 42"
    same "$(grep '^scontrol' calls | tr '\n' ' ')" 'scontrol show hostnames a[1-2],b scontrol update JobId=41_0 ReqNodeList=a1 scontrol update JobId=41_1 ReqNodeList=a2 scontrol update JobId=41_2 ReqNodeList=b scontrol release 41 '
    same "$(ask "SELECT text, count(*) FROM v_run_factor WHERE factor = 'node' GROUP BY 1" | tr '\n' ' ')" "a1,1 a2,1 b,1 "
    printf '#!/bin/sh\necho "sbatch: error: no partition" >&2; exit 1\n' >bin/sbatch
    run abdb run --slurm 2 --kernel stream --axis n=1000 --spool spool --submit
    fails 6 "Slurm did not take it"
}

@test "the import job pushes once at the end; options that Slurm or a script cannot carry are refused" {
    mkdir spool 'per%cent'
    abdb run --slurm 2 --plan quick --spool spool --push 'postgresql://me@db.example.com/abdb?sslmode=verify-full' >script
    sh -n script
    same "$(grep -A1 'abdb import' script | grep -c "abdb push --db=.*-- 'postgresql://me@db.example.com/abdb?sslmode=verify-full'")" 1
    while IFS='|' read -r options says; do
        run eval "abdb run --kernel gemm --axis n=64 $options"
        fails 2 "$says"
    done <<'EOT'
--slurm 2|--slurm wants --spool FOLDER
--slurm 2 --spool none|one that is there, and that all nodes see
--slurm 2 --spool per%cent|Slurm gives % and \ in it a meaning
--slurm 0 --spool spool|--slurm wants how many nodes
--slurm --spool spool|what is 'spool'?
--slurm 'a b' --spool spool|--slurm cannot be 'a b' in Slurm
--slurm 2 --spool spool --partition --hold|--partition cannot be '--hold' in Slurm
--slurm 2 --spool spool --sbatch=-p|--sbatch wants a long option
--slurm 2 --spool spool --sbatch '--wrap=rm -r x'|--sbatch cannot be
--slurm 2 --spool spool --tag $'a\nABDB_TASK\ntouch evil'|--tag has a line break
--slurm 2 --spool spool --push postgresql://me:secret@h/abdb|put it into ~/.pgpass
--slurm 2 --spool spool --resume|--slurm: no --resume beside it
--slurm 2 --spool spool --node n1|--slurm: no --node beside it
--submit|--submit is of --slurm NODES
--time 3|--time is of --slurm NODES
EOT
    run abdb run --slurm 2 --plan none --spool spool
    fails 2 "no plan 'none'"
}
