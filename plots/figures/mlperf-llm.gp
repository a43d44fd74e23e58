# title: MLPerf® Inference, LLM benchmarks: best submission per accelerator {round} {model} {scenario}
# report: mlperf-llm
# needs: tokens_per_s_per_chip
# with: one
# size: 720,110
# grow: 26 rows
# sets: mlperf llm
# Horizontal bars, best first: tokens per second and chip (derived), labelled with value, chips and
# submitter, so that the picture can be read without colour. ‡ marks a device whose sources disagree.
set xlabel "tokens/s per chip† (derived)"
set ytics scale 0
set grid noytics xtics
set format x si(max_tokens_per_s_per_chip)
unset key
# One benchmark and scenario: the accelerator names a bar. Several: the bar says which.
first = ""; same = 1
group(i) = strcol(c_model) . " " . strcol(c_scenario)
stats $data using (first eq "" ? (first = group(0), 0) : (same = same && first eq group(0), 0)) nooutput
set yrange [rows - 0.4 : -0.6] noreverse
set xrange [0 : 1.02 * max_tokens_per_s_per_chip]
if (same) { set xlabel first . ": tokens/s per chip† (derived)" }
name(i) = same ? strcol(c_accelerator) : strcol(c_accelerator) . ", " . group(0)
if (!same) { set ytics font ",9" }
set lmargin at screen (14 + name_px * (same ? widest_accelerator : 0.9 * (widest_accelerator + widest_model + 12))) / width
set rmargin at screen 1 - (60 + 6.2 * (widest_submitter + 9)) / width
set tmargin at screen 1 - head_room - 6.0 / height
half = 0.34
note(i) = sprintf("  %.0f%s   %d chips, %s", column(c_tokens_per_s_per_chip), strcol(c_of__mark), int(column(c_chips)), strcol(c_submitter))
plot $data using (0):0:(0):(column(c_tokens_per_s_per_chip)):($0 - half):($0 + half):ytic(name(0)) with boxxyerror lc rgb colour[1], \
     '' using (column(c_tokens_per_s_per_chip)):0:(note(0)) with labels left textcolor rgb ink font ",9" noenhanced
