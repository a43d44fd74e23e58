#!/usr/bin/env bats
# mutants.bats - wrong kernels do not pass verification: a few of tests/mutants/kernels.txt, which `make soak` tries whole.
load common

@test "every wrong kernel of the table fits the sources" {
    run "$root/tests/mutants/kernels.sh" --check
    fails 0 " mutants"
    run "$root/tests/mutants/kernels.sh" --table classes.txt --check
    fails 0 "84 mutants"
    run "$root/tests/mutants/kernels.sh" --table foreign.txt --check
    fails 0 "106 mutants"
}

@test "verification catches a stale, a misplaced and a truncated result" {
    [[ $build != *sanitize* ]] || skip "backends that are built anew"
    run "$root/tests/mutants/kernels.sh" --few --jobs 2
    fails 0 "are caught at every cell that they change"
}

@test "the campaign keeps a conclusive verdict for unchanged sources" {
    mkdir -p "$BATS_TEST_TMPDIR/tree/kernels" "$BATS_TEST_TMPDIR/soak"
    cd "$BATS_TEST_TMPDIR"
    run env PYTHONPATH="$root/tests/mutants" PYTHONDONTWRITEBYTECODE=1 python3 - <<'EOF'
import pathlib, campaign
campaign.ROOT, soak = pathlib.Path("tree").resolve(), pathlib.Path("soak")
source = campaign.ROOT / "kernels/k.c"
def begin(text):
    source.write_text(text)
    one = object.__new__(campaign.Campaign)
    one.args = type("Args", (), {"minutes": 0})
    one.ledger, one.sound = campaign.Ledger(soak), True
    return one
mutant = campaign.Mutant(1, "m | bound | vec/k.c | gemm n=4")
one, right = begin("a"), [2, 2, 2, [], ""]
for answer, sound in (([2, 0, 0, [], "k.c:1: error"], True), ([0, 0, 0, [], ""], True), (right, False)):
    one.judge, one.sound = lambda m: answer, sound
    assert one.result(mutant) == answer and not one.judged(mutant), (answer, sound)
one.judge, one.sound = lambda m: right, True
assert one.result(mutant) == right
with one.ledger.file.open("a") as out:
    out.write('["cut')
again = begin("a")
again.judge = lambda m: 1 / 0  # is not asked
assert again.result(mutant) == right
assert not begin("b").judged(mutant), "other sources"
mutant.places.append([["x"], ["y"], 1])
assert not begin("a").judged(mutant), "another mistake"
late = begin("a")
late.args.minutes, late.end_s = 1, 0
assert late.result(mutant) is None, "no time is left"
amx = [{"kernel": "gemm", "params": {"isa": "avx2"}}]
assert campaign.lacks(amx, "gemm isa=amx; gemm") and not campaign.lacks(amx, "gemm isa=avx2,amx") and not campaign.lacks(amx, "gemm")
EOF
    fails 0 ""
}
