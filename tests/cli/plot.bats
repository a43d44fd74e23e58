#!/usr/bin/env bats
# plot.bats - figures: kinds of picture, options, errors, and text that would like to be a command.
load common

fill() { filled "$root/data"; }

@test "plot writes svg, png, pdf and a text picture, by file name or --type" {
    fill
    for t in svg png pdf; do
        run abdb plot mlperf-llm --round v6.0 --model llama2-70b-99 --scenario Server --out f.$t
        fails 0 f.$t
        [ "$(stat -c %s f.$t)" -gt 5000 ]
    done
    head -c 4 f.pdf | grep -q %PDF
    head -c 8 f.png | grep -q PNG
    python3 -c 'import xml.dom.minidom as m; m.parse("f.svg")'
    grep -q B300-SXM f.svg
    grep -q "MLPerf® Inference v6.0 Closed, verified by MLCommons" f.svg
    run abdb plot mlperf-llm --round v6.0 --model llama2-70b-99 --type dumb
    fails 0 B300-SXM
    run abdb plot mlperf-llm --model llama2-70b-99 --type dumb # v6.1, the newest round, has 99.9 alone
    fails 0 "B300-SXM"
    run abdb plot mlperf-llm --round v6.1 --model llama2-70b-99 --type dumb
    fails 6 "nothing to draw"
}

@test "plot writes the same bytes from the same data" {
    fill
    abdb plot mlperf-llm --scenario Server --out a.svg >/dev/null
    abdb plot mlperf-llm --scenario Server --out b.svg >/dev/null
    cmp a.svg b.svg
}

@test "the roofline shows measured results" {
    abdb run -q --kernel gemm --axis n=64,128 --backend ref --quick
    run abdb plot roofline
    fails 6 "nothing to draw"
    ABDB_LAST_LEVEL_BYTES=65536 abdb run -q --kernel stream --axis n=400000 --axis op=triad,add --axis dtype=f32 --backend ref --quick
    run abdb plot roofline --out r.svg
    fails 0 r.svg
    grep -q "measured f32: .*GB/s\|measured f32: .*MB/s" r.svg
    run abdb plot roofline --script
    fails 0 "ABDB_END_OF_DATA"
}

@test "plot refuses an unknown figure, an unknown type, an empty figure and an unwritable place" {
    abdb init >/dev/null
    run abdb plot rooflin
    fails 2 "did you mean 'roofline'"
    run abdb plot roofline --type gif
    fails 2 "no picture 'gif'"
    run abdb plot roofline
    fails 6 "nothing to draw"
    [ ! -e roofline.svg ]
    fill
    run abdb plot mlperf-llm --out /nonexistent/x.svg
    fails 6 "cannot write"
    mkdir bin
    ln -s "$build/abdb" bin/abdb
    run env PATH="$dir/bin" bin/abdb plot mlperf-llm
    fails 6 "gnuplot is not installed"
    run abdb plot
    fails 0 roofline
}

@test "a user-defined figure is drawn, and its gnuplot error is reported" {
    fill
    mkdir -p own/figures
    printf '# title: Peaks\n# report: specs\n# size: 500,300\nplot $data using 0:(column(c_power_w)) with points title "W"\n' >own/figures/mine.gp
    export ABDB_PATH=$dir/own
    run abdb plot mine --vendor AMD
    fails 0 mine.svg
    printf '# report: specs\nplot $data using nonsense(\n' >own/figures/bad.gp
    run abdb plot bad
    fails 6 "gnuplot:"
    [ ! -e bad.svg ]
}

@test "hostile names stay text in gnuplot, HTML, markdown, LaTeX and CSV" {
    cat >evil.csv <<'E'
Organization,Availability,Division,SystemType,SystemName,Platform,Model,MlperfModel,Scenario,Result,Accuracy,number_of_nodes,host_processor_model_name,host_processors_per_node,host_processor_core_count,accelerator_model_name,accelerators_per_node,total_accelerators,Location,framework,operating_system,notes,compliance,errors,version,inferred,has_power,Units,weight_data_types
`touch pwned1`,available,closed,datacenter,"""; system(""touch pwned2""); set title ""x",box1,llama2-70b-99,llama2-70b-99,Offline,10000.5,,1,CPU,2,64,"$(touch pwned3)`touch pwned4`",8,8,x,rt,Linux,,1,0,v6.0,0,False,Tokens/s,fp8
@evil \input{/etc/passwd} %s {x} ^_,available,closed,datacenter,<script>alert(1)</script>,box2,llama2-70b-99,llama2-70b-99,Offline,9000.5,,1,CPU,2,64,"<img src=x onerror=alert(2)>
ABDB_END_OF_DATA
system('touch pwned5')",8,8,x,rt,Linux,,1,0,v6.0,0,False,Tokens/s,fp8
"=cmd|' /C calc'!A0",available,closed,datacenter,'; DROP TABLE entry; --,box3,llama2-70b-99,llama2-70b-99,Offline,8000.5,,1,CPU,2,64,"a|b*c_d",8,8,x,rt,Linux,,1,0,v6.0,0,False,Tokens/s,fp8
Organization,Availability,Division,SystemType,SystemName,Platform,Model,MlperfModel,Scenario,Result,Accuracy,number_of_nodes,host_processor_model_name,host_processors_per_node,host_processor_core_count,accelerator_model_name,accelerators_per_node,total_accelerators,Location,framework,operating_system,notes,compliance,errors,version,inferred,has_power,Units,weight_data_types
`touch pwned1`,available,closed,datacenter,"""; system(""touch pwned2""); set title ""x",box1,llama2-70b-99,llama2-70b-99,Offline,10000.5,,1,CPU,2,64,"$(touch pwned3)`touch pwned4`",8,8,x,rt,Linux,,1,0,v6.0,0,False,Tokens/s,fp8
@evil \input{/etc/passwd} %s {x} ^_,available,closed,datacenter,<script>alert(1)</script>,box2,llama2-70b-99,llama2-70b-99,Offline,9000.5,,1,CPU,2,64,"<img src=x onerror=alert(2)>
ABDB_END_OF_DATA
system('touch pwned5')",8,8,x,rt,Linux,,1,0,v6.0,0,False,Tokens/s,fp8
"=cmd|' /C calc'!A0",available,closed,datacenter,'; DROP TABLE entry; --,box3,llama2-70b-99,llama2-70b-99,Offline,8000.5,,1,CPU,2,64,"a|b*c_d",8,8,x,rt,Linux,,1,0,v6.0,0,False,Tokens/s,fp8
E
    run abdb import evil.csv
    fails 0 "3 accepted"
    for t in svg png pdf dumb; do abdb plot mlperf-llm --out f.$t --type $t >/dev/null; done
    python3 -c 'import xml.dom.minidom as m; m.parse("f.svg")'
    run bash -c 'ls pwned* 2>/dev/null'
    same "$output" ""
    abdb plot mlperf-llm --script >s.gp
    same "$(grep -c '^system' s.gp)" 0
    abdb query mlperf-llm -o html --out f.html
    run grep -cE '<script|<img' f.html
    same "$output" 0
    abdb query mlperf-llm -o latex --out f.tex
    run grep -F '\input{' f.tex
    same "$output" ""
    abdb query mlperf-llm -o markdown --out f.md
    grep -qF 'a\|b\*c\_d' f.md
    same "$(ask "SELECT count(*) FROM entry")" 3
    same "$(abdb query mlperf-llm -o csv 2>/dev/null | python3 -c 'import csv, sys; print(len(list(csv.DictReader(sys.stdin))))')" 3
}

@test "a failed write to standard output is an error for every verb" {
    fill
    for verb in "plot peaks --out p.svg" "plot peaks --script" "plot" "help" "query sources" "doctor" "query --schema"; do
        run bash -c "abdb $verb >/dev/full"
        fails 6 "is the disk full?"
    done
}
