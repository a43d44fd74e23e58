# title: Collectives by message size and ranks {operation}
# finding: Bus bandwidth reaches {max busbw_gb_per_s} GB/s
# subtitle: Thick, with the range of its runs: bus bandwidth; thin: algorithm bandwidth
# report: collectives
# needs: message_bytes>0 algbw_gb_per_s>0
# least: 2
# series: _label 8
# size: 720,460
# room: 220,210
# sets: collectives kaist
# hint: import the output of nccl-tests, rccl-tests or OSU (abdb help nccl-tests)
# Filled: bus bandwidth with the range of its runs; hollow and thin: algorithm bandwidth. A cross: runs
# with wrong elements, quarantined.
set logscale x 2
set xlabel "message size, bytes"
set ylabel "GB/s"
set xtics ()
do for [k=0:40:4] { set xtics add (sprintf("%d %s", 2 ** (k % 10), word("B KiB MiB GiB TiB", k / 10 + 1)) 2.0 ** k) }
# Names at the ends only of a few lines, all of which have a bus bandwidth: many end beside one another.
with_busbw = 0; with_algbw = 0; is(v) = v == v
stats $data using (with_busbw = with_busbw + is(column(c_busbw_gb_per_s)), with_algbw = with_algbw + is(column(c_algbw_gb_per_s)), 0) nooutput
direct = direct && series < 6 && with_busbw == with_algbw
eval lay_lines
set lmargin at screen 80.0 / width
set xrange [0.7 * min_message_bytes : 1.4 * max_message_bytes]
least = min_algbw_gb_per_s; most = max_busbw_gb_per_s > max_algbw_gb_per_s ? max_busbw_gb_per_s : max_algbw_gb_per_s
from = least > 0 ? 0.6 * least : 1e-4; to = 1.8 * most; low = from; high = to; eval log_y
across = c_message_bytes; up = c_busbw_gb_per_s; eval name_lines
fine(i) = column(c_wrong) == 0
plot for [i=0:series-1] $data index i using (column(c_message_bytes)):(column(c_algbw_gb_per_s)) with lines lt i + 1 lc rgb series_tint(i + 1) lw 0.8 title with_busbw ? "" : series_name[i + 1], \
     for [i=0:series-1] '' index i using (column(c_message_bytes)):(column(c_busbw_gb_per_s)):(column(c_low_gb_per_s)):(column(c_high_gb_per_s)) with yerrorbars lt i + 1 dt 1 lw 1 ps 0 notitle, \
     for [i=0:series-1] '' index i using (column(c_message_bytes)):(fine(0) ? column(c_busbw_gb_per_s) : NaN) with linespoints lt i + 1 lc rgb series_tint(i + 1) title series_name[i + 1], \
     for [i=0:series-1] '' index i using (column(c_message_bytes)):(fine(0) ? NaN : column(c_busbw_gb_per_s)) with points pt 2 ps 1.6 lw 3 lc rgb colour[4] notitle, \
     for [i=0:series-1] '' index i using (column(c_message_bytes)):(column(c_busbw_gb_per_s)):(fine(0) ? "" : "wrong elements: not counted") with labels left offset 1.2,-0.6 font ",9" textcolor rgb colour[4] notitle
