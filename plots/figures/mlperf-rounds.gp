# title: MLPerf® Inference over rounds, best per device: {model} {scenario}
# finding: {leader} leads {round}, the latest round of {model} {scenario}, at {best} {unit} per device
# finding: {tied} share the lead of {round}, the latest round of {model} {scenario}, at {best} {unit} per device
# finding: {only} alone has results in {round}, the latest round of {model} {scenario}: {best} {unit} per device
# subtitle: {unit} per device†, the best submission of each device and round; hollow: not in an official list
# ranks: per_chip device in round
# report: mlperf-rounds
# needs: per_chip>0
# series: device 11 by _lead
# levels: round
# size: 720,420
# room: 220,190
# sets: mlperf llm
# hint: choose a benchmark with several rounds: --model NAME --scenario NAME
# A line a device, a point a round: best total / devices (derived). Of more devices than there is room
# for, those that stood highest in any round.
unset key
set xrange [0.85 : levels_round + 0.55]
set for [i=1:levels_round] xtics (tic_words(level_round[i]) i)
set border 1
set ytics scale 0
set grid ytics noxtics
set tmargin at screen 1 - head_room - 6.0 / height
set bmargin at screen foot_room + 30.0 / height
set lmargin at screen 44.0 / width
set format y si(max_per_chip)
low = wide(min_per_chip, max_per_chip) ? 0.8 * min_per_chip : 0
high = low > 0 ? 1.3 * max_per_chip : 1.08 * max_per_chip
if (low > 0) { from = low; to = high; eval log_y } else { set yrange [low : high] }
place(y) = low > 0 ? (log10(y) - log10(low)) / (log10(high) - log10(low)) : (y - low) / (high - low)
area_height = height * (1 - head_room - foot_room) - 36.0
array end_x[series]; array end_y[series]
do for [i=0:series-1] { end_x[i + 1] = 0; stats $data index i using (column(c_round_level) > end_x[i + 1] ? (end_y[i + 1] = column(c_per_chip), end_x[i + 1] = column(c_round_level), high) : high) nooutput }
eval label_ends
# Filled marks, so that a hollow one says something; of two lines of one colour the marks differ.
full(i) = int(word("7 5 9 13 11 15", i % 6 + 1))
sure(i) = strcol(c_verified_by) eq "mlcommons"
plot for [i=0:series-1] $data index i using (column(c_round_level)):(column(c_per_chip)) with lines lt i + 1 dt 1 lc rgb series_tint(i + 1) notitle, \
     for [i=0:series-1] '' index i using (column(c_round_level)):(sure(0) ? column(c_per_chip) : NaN) with points pt full(i) ps 0.9 lc rgb series_tint(i + 1) notitle, \
     for [i=0:series-1] '' index i using (column(c_round_level)):(sure(0) ? NaN : column(c_per_chip)) with points pt full(i) ps 1.1 lc rgb series_tint(i + 1) notitle, \
     for [i=0:series-1] '' index i using (column(c_round_level)):(sure(0) ? NaN : column(c_per_chip)) with points pt full(i) ps 0.6 lc rgb ground notitle
