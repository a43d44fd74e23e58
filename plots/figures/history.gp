# title: History of a measurement, with change points {kernel}
# report: history
# needs: run ms>0
# least: 2
# series: label 4
# size: 720,440
# room: 100,210
# sets: measured
# hint: a history needs the same cell from several runs: abdb run --plan quick, again and again
# A line a cell, oldest first, each run against the first; bars: 95 % intervals; a vertical line where the
# runs before and after differ, with the ratio.
eval lay_lines
set xlabel "run, oldest first"
set ylabel "median time, ms"
set xrange [0.5 : max_run + 0.5]
if (max_run < 12) { set xtics 1 }
if (wide(min_ms, max_ms)) { from = 0.7 * min_ms; to = 1.4 * max_ms; low = from; high = to; eval log_y } else { low = 0; high = 1.15 * max_ms; set yrange [low : high] }
across = c_run; up = c_ms; eval name_lines
is(i) = column(c_change) == 1
plot for [i=0:series-1] $data index i using (column(c_run)):(column(c_ms)):(column(c_low_ms)):(column(c_high_ms)) with yerrorbars lt i + 1 dt 1 lw 1 ps 0 notitle, \
     for [i=0:series-1] '' index i using (column(c_run)):(column(c_ms)) with linespoints lt i + 1 lc rgb series_tint(i + 1) title series_name[i + 1], \
     for [i=0:series-1] '' index i using (is(0) ? column(c_run) - 0.5 : NaN):(column(c_ms)):(0):(column(c_ms) * 0.12) with vectors nohead lw 3 lc rgb ink notitle, \
     for [i=0:series-1] '' index i using (is(0) ? column(c_run) - 0.5 : NaN):(column(c_ms) * 1.14):(is(0) ? sprintf("%.2fx", column(c_ratio)) : "") with labels left offset 0.3,0 font ",9" textcolor rgb ink notitle
