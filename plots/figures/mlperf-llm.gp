# title: MLPerf® Inference, LLM benchmarks: best submission per accelerator
# report: mlperf-llm
# size: 760,560
# Horizontal bars, best first: tokens per second and chip (derived), labelled with value, chips and
# submitter, so that the picture can be read without colour.
set yrange [rows - 0.3 : -0.7] noreverse
set xrange [0 : *]
set style fill solid 0.9 noborder
set xlabel "tokens/s per chip† (derived)" textcolor rgb ink
set ytics scale 0
set grid noytics xtics
# One benchmark and scenario: the accelerator names a bar. Several: the bar says which.
first = ""; same = 1
group(i) = strcol(c_model) . " " . strcol(c_scenario)
stats $data using (first eq "" ? (first = group(0), 0) : (same = same && first eq group(0), 0)) nooutput
name(i) = same ? strcol(c_accelerator) : strcol(c_accelerator) . ", " . group(0)
if (same) { set lmargin 18 } else { set lmargin 36; set ytics font ",9"; set format x "" }
set rmargin 25
set format x "%.0s%c"
unset key
half = 0.32
plot $data using (0):0:(0):(column(c_tokens_per_s_per_chip)):($0 - half):($0 + half):ytic(name(0)) with boxxyerror lc rgb c1, \
     '' using (column(c_tokens_per_s_per_chip)):0:(sprintf("  %.0f   %d chips, %s", column(c_tokens_per_s_per_chip), int(column(c_chips)), strcol(c_submitter))) with labels left textcolor rgb ink font ",9" noenhanced
