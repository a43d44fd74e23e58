# title: MLPerf® Inference over rounds, best per device: {model} {scenario}
# report: mlperf-rounds
# needs: per_chip
# series: device 8
# levels: round
# size: 720,420
# sets: mlperf llm
# hint: choose a benchmark with several rounds: --model NAME --scenario NAME
# A line a device, a point a round: best total / devices (derived).
set xrange [0.7 : levels_round + 0.3]
set xlabel "round of MLPerf"
set for [i=1:levels_round] xtics (tic_words(level_round[i]) i)
unit = ""
stats $data using (unit = strcol(c_unit), 0) nooutput
set ylabel unit . " per device† (derived)"
set format y si(max_per_chip)
if (wide(min_per_chip, max_per_chip)) { from = 0.7 * min_per_chip; to = 1.4 * max_per_chip; eval log_y } else { set yrange [0 : *] }
plot for [i=0:series-1] $data index i using (column(c_round_level)):(column(c_per_chip)) with linespoints lt i + 1 title series_name[i + 1]
