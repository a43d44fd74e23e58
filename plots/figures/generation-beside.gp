# title: Generation of text by {factor}: measured here, and published elsewhere
# report: generation-beside
# needs: setting tokens_per_s>0
# series: _label 10
# levels: _factor
# size: 720,460
# room: 410,235
# narrow: 230
# sets: measured
# hint: abdb run --plan kaist-llama8b --scale --quick
# A line a device, model and shape; own runs thick, those of a source thin: beside each other, no ranking.
set xlabel level__factor[1]
set ylabel "tokens/s"
if (wide(min_setting, max_setting)) { set logscale x 2; set xrange [0.85 * min_setting : 1.18 * max_setting]; set format x "%.0f" } else { set xrange [0.9 * min_setting - 0.01 : 1.05 * max_setting + 0.01] }
if (wide(min_tokens_per_s, max_tokens_per_s)) { from = 0.7 * min_tokens_per_s; to = 1.4 * max_tokens_per_s; eval log_y } else { set yrange [0 : 1.1 * max_tokens_per_s] }
plot for [i=0:series-1] $data index i using (column(c_setting)):(column(c_tokens_per_s)) with linespoints lt i + 1 lw (strlen(series_name[i + 1]) > 5 && series_name[i + 1][1:5] eq "here:" ? 3 : 1) title series_name[i + 1]
