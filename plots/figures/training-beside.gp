# title: Training throughput by {factor}: measured here, and published elsewhere
# report: training-beside
# needs: setting of_base>0
# series: _label 10
# levels: _factor
# size: 720,460
# room: 290,280
# sets: measured
# hint: abdb run --plan argonne-sequence --scale --quick, argonne-gas or argonne-gpt2xl
# A line a device and model, relative to its own smallest setting: shapes beside each other, no ranking.
# Lines of own runs are thick, those of a source thin.
set xlabel level__factor[1]
eval lay_lines
set ylabel "of the value at the smallest setting"
if (wide(min_setting, max_setting)) { set logscale x 2; set xrange [0.85 * min_setting : 1.18 * max_setting]; set format x "%.0f" } else { set xrange [0.9 * min_setting - 0.01 : 1.05 * max_setting + 0.01] }
if (wide(min_of_base, max_of_base)) { from = 0.7 * min_of_base; to = 1.4 * max_of_base; low = from; high = to; eval log_y } else { low = 0; high = 1.1 * (max_of_base > 1 ? max_of_base : 1); set yrange [low : high] }
across = c_setting; up = c_of_base; eval name_lines
plot 1 with lines lc rgb muted dt 2 notitle, \
     for [i=0:series-1] $data index i using (column(c_setting)):(column(c_of_base)) with linespoints lt i + 1 lc rgb series_tint(i + 1) lw (strlen(series_name[i + 1]) > 5 && series_name[i + 1][1:5] eq "here:" ? 3 : 1) title series_name[i + 1]
