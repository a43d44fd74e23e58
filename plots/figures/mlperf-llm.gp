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
set lmargin 18
set rmargin 30
set format x "%.0s%c"
unset key
half = 0.32
plot $data using (0):0:(0):(column(c_tokens_per_s_per_chip)):($0 - half):($0 + half):ytic(strcol(c_accelerator)) with boxxyerror lc rgb c1, \
     '' using (column(c_tokens_per_s_per_chip)):0:(sprintf("  %.0f   %d chips, %s", column(c_tokens_per_s_per_chip), int(column(c_chips)), strcol(c_submitter))) with labels left textcolor rgb ink font ",9" noenhanced
