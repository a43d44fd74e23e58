# title: llama.cpp: prompt and generation rates by depth and build {model}
# report: llama-bench
# needs: tokens_per_s
# series: _label 12
# size: 720,440
# sets: llama
# hint: llama-bench -o jsonl | abdb import -
# A line a test and build over the depth of the context; bars: one standard deviation.
set xlabel "depth, tokens of context before the test"
set ylabel "tokens/s, mean"
if (max_depth == 0) { set xrange [-0.5 : 0.5]; set xtics (0) } else { set xrange [-0.04 * max_depth : 1.04 * max_depth] }
if (wide(min_tokens_per_s, max_tokens_per_s)) { from = 0.6 * min_tokens_per_s; to = 1.8 * max_tokens_per_s; eval log_y } else { set yrange [0 : *] }
# Lines of one depth stand beside one another.
aside(i) = max_depth == 0 ? (i - (series - 1) / 2.0) * 0.8 / series : 0
plot for [i=0:series-1] $data index i using (column(c_depth) + aside(i)):(column(c_tokens_per_s)):(column(c_low)):(column(c_high)) with yerrorbars lt i + 1 dt 1 lw 1.2 ps 0 notitle, \
     for [i=0:series-1] '' index i using (column(c_depth) + aside(i)):(column(c_tokens_per_s)) with linespoints lt i + 1 title series_name[i + 1]
