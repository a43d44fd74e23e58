# title: MLPerf® Inference, every submission by size: {model} {scenario}
# report: mlperf-systems
# needs: chips value
# series: device 8
# size: 720,460
# sets: mlperf llm
# A point a submission: devices against total, with lines of equal rate per device. Hollow and grey: of
# those sources disagree, or it stands for nothing (mixed, power-capped).
set logscale x 2
unit = ""
stats $data using (unit = strcol(c_unit), 0) nooutput
set xrange [0.8 * min_chips : 2.4 * max_chips]
from = 0.7 * min_value; to = 1.6 * max_value; eval log_y
set xlabel "devices of the system"
set ylabel unit . ", in total"
least = 10 ** floor(log10(min_per_chip)); most = max_per_chip
do for [j=0:8] {
    rate = least * (j % 3 == 0 ? 1 : j % 3 == 1 ? 2 : 5) * 10 ** (j / 3)
    if (rate * 2.3 * max_chips < 1.5 * max_value && rate * 2.3 * max_chips > min_value) { set label 300 + j gprintf("%.0s%c", rate) . " per device" at 2.3 * max_chips, rate * 2.3 * max_chips right offset 0,-0.7 font ",8" textcolor rgb muted }
}
sound(i) = none(strcol(c_doubt))
plot for [j=0:8] x * least * (j % 3 == 0 ? 1 : j % 3 == 1 ? 2 : 5) * 10 ** (j / 3) with lines lc rgb faint lw 0.8 dt 2 notitle, \
     for [i=0:series-1] $data index i using (sound(0) ? column(c_chips) : NaN):(column(c_value)) with points lt i + 1 ps 1 title series_name[i + 1], \
     $data using (sound(0) ? NaN : column(c_chips)):(column(c_value)) with points pt 4 ps 1 lc rgb muted title (max_chips > 0 ? "in doubt" : "")
