# title: Throughput against speed for a user {model}
# finding: A device gives up to {max tokens_per_s_per_device} tokens/s, a user up to {max tokens_per_s_per_user} tokens/s
# subtitle: output tokens per second of one device against tokens per second of one user (1 / TPOT), a point a load; up and to the right is better
# report: interactivity
# needs: tokens_per_s_per_user>0 tokens_per_s_per_device>0
# least: 2
# series: _label 8
# size: 720,460
# sets: serving
# hint: import what a serving benchmark wrote (abdb help vllm-serving-json), with --set device=... --set devices=...
# A line a curve, from its first to its last measured load: nothing is drawn beyond.
set xlabel "tokens per second of a user"
set ylabel "tokens per second of a device"
eval lay_lines
from = 0.8 * min_tokens_per_s_per_user; to = 1.25 * max_tokens_per_s_per_user; eval log_x
from = 0.7 * min_tokens_per_s_per_device; to = 1.5 * max_tokens_per_s_per_device; low = from; high = to; eval log_y
across = c_tokens_per_s_per_user; up = c_tokens_per_s_per_device; eval name_lines
plot for [i=0:series-1] $data index i using (column(c_tokens_per_s_per_user)):(column(c_tokens_per_s_per_device)) with linespoints lt i + 1 lc rgb series_tint(i + 1) title series_name[i + 1]
