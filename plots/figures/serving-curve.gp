# title: Latency against throughput of serving, measured here
# finding: {model}: up to {max tokens_per_s} tokens/s, {latency_kind} from {min latency_ms} ms
# finding: Serving here reaches {max tokens_per_s} tokens/s; {latency_kind} is at least {min latency_ms} ms
# subtitle: tokens/s in total against {latency_kind} ({statistic}) of the same run; up and to the left is better
# report: serving-curve
# needs: latency_ms>0 tokens_per_s>0
# series: _label 8
# size: 720,460
# room: 190,235
# sets: measured
# hint: abdb run --plan kaist-vllm --scale --quick
# A line a kind of pages and of arrivals, a point a load.
kind = ""
stats $data using (kind = strcol(c_latency_kind), 0) nooutput
set xlabel kind . ", ms"
set ylabel "tokens/s"
if (wide(min_latency_ms, max_latency_ms)) { from = 0.8 * min_latency_ms; to = 1.25 * max_latency_ms; eval log_x } else { set xrange [0 : 1.1 * max_latency_ms] }
if (wide(min_tokens_per_s, max_tokens_per_s)) { from = 0.7 * min_tokens_per_s; to = 1.5 * max_tokens_per_s; eval log_y } else { set yrange [0 : 1.1 * max_tokens_per_s] }
plot for [i=0:series-1] $data index i using (column(c_latency_ms)):(column(c_tokens_per_s)) with linespoints lt i + 1 title series_name[i + 1]
