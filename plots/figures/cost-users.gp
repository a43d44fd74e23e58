# title: Cost of a million output tokens by number of users {model}
# finding: A million output tokens cost {min usd_per_million_tokens} to {max usd_per_million_tokens} USD, by the number of users
# subtitle: USD per million output tokens†, by requests at the same time
# report: serving-load
# needs: users>0 usd_per_million_tokens>0
# series: _label 8
# size: 720,420
# room: 150,300
# sets: serving databricks
# hint: it needs a price of the device: --price 'DEVICE=2.49 USD/h'
# A line a configuration, a point a load.
set xlabel "users (concurrent requests)"
set ylabel "USD per million output tokens (derived)"
set logscale x 2
eval lay_lines
set xrange [0.85 * min_users : 1.18 * max_users]
if (wide(min_usd_per_million_tokens, max_usd_per_million_tokens)) { from = 0.7 * min_usd_per_million_tokens; to = 1.4 * max_usd_per_million_tokens; low = from; high = to; eval log_y } else { low = 0; high = 1.1 * max_usd_per_million_tokens; set yrange [low : high] }
across = c_users; up = c_usd_per_million_tokens; eval name_lines
plot for [i=0:series-1] $data index i using (column(c_users)):(column(c_usd_per_million_tokens)) with linespoints lt i + 1 lc rgb series_tint(i + 1) title series_name[i + 1]
