# title: Latency against throughput {model}
# finding: Throughput reaches {max throughput} {unit}; {latency_kind} is at least {min latency_ms} ms
# subtitle: {unit} in total against {latency_kind} ({statistic}) of the same run; up and to the left is better
# report: latency-throughput
# with: statistic=median
# needs: latency_ms>0 throughput>0
# least: 2
# series: _label 8
# size: 720,460
# room: 110,210
# sets: serving databricks
# hint: import what a serving benchmark wrote (abdb help vllm-serving-json), with --set device=... --set devices=...
# A line a configuration, named where it carries most, a point a load; up and to the left is better. Dotted: equal
# numbers of tokens in flight, throughput x latency.
unit = kind = ""
stats $data using (unit = strcol(c_unit), kind = strcol(c_latency_kind), 0) nooutput
eval lay_lines
set xlabel kind . ", ms"
set ylabel unit . ", in total"
from = 0.8 * min_latency_ms; to = 1.25 * max_latency_ms; eval log_x
from = 0.7 * min_throughput; to = 1.5 * max_throughput; low = from; high = to; eval log_y
across = c_latency_ms; up = c_throughput; eval name_lines
flight(k) = 2 ** k
do for [k=0:14] {
    y = 1000 * flight(k) / (0.82 * min_latency_ms)
    if (y > 2 * min_throughput && y < 1.2 * max_throughput) { set label 300 + k sprintf("%d in flight", flight(k)) at 0.82 * min_latency_ms, y left offset 0,0.5 font ",8" textcolor rgb muted }
}
plot for [k=0:14] 1000 * flight(k) / x with lines lc rgb faint dt 3 notitle, \
     for [i=0:series-1] $data index i using (column(c_latency_ms)):(column(c_throughput)) with linespoints lt i + 1 lc rgb series_tint(i + 1) title series_name[i + 1]
