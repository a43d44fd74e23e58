# title: MLPerf® Inference, every submission: {model} {scenario} {round}
# finding: {leader} leads {model} {scenario} at {best} {unit} per chip; the best {second} is {gap} behind; the best of another vendor, {rival}, {rival_gap}
# finding: {leader} leads {model} {scenario} at {best} {unit} per chip; the best {second} is {gap} behind
# finding: {tied} share the lead in {model} {scenario} at {best} {unit} per chip
# finding: {only} alone has results in {model} {scenario}: up to {best} {unit} per chip
# subtitle: {unit} per chip†, a mark for each submission; hollow: in doubt
# ranks: per_chip device unless doubt
# report: mlperf-systems
# needs: per_chip>0 value
# levels: device
# size: 720,100
# grow: 22 device
# room: 130
# narrow: 110
# sets: mlperf llm
# A strip a device, a mark a submission at its rate per chip. Hollow: sources disagree, or it stands for
# nothing (mixed, power-capped).
unset key
array count_of[levels_device]; array least_of[levels_device]; array most_of[levels_device]
do for [i=1:levels_device] { count_of[i] = 0; least_of[i] = 0; most_of[i] = 0 }
l(i) = int(column(c_device_level))
stats $data using (count_of[l(0)] = count_of[l(0)] + 1, least_of[l(0)] = least_of[l(0)] == 0 || column(c_chips) < least_of[l(0)] ? column(c_chips) : least_of[l(0)], most_of[l(0)] = column(c_chips) > most_of[l(0)] ? column(c_chips) : most_of[l(0)], 1) nooutput
from = 0.85 * min_per_chip; to = 1.25 * max_per_chip
if (wide(min_per_chip, max_per_chip)) { eval log_x } else { set xrange [0 : 1.05 * max_per_chip]; set format x si(max_per_chip) }
set yrange [levels_device + 0.5 : 0.5] noreverse
set for [i=1:levels_device] ytics (tic_words(folded(level_device[i])) i)
set ytics scale 0
set border 1
set grid xtics ytics
set tmargin at screen 1 - head_room - 2.0 / height
set bmargin at screen foot_room + 32.0 / height
set lmargin at screen (14 + name_px * folded_widest(level_device_widest)) / width
set rmargin at screen 1 - (narrow ? 88.0 : 168.0) / width
how_many = narrow ? "%d submission%s\nof %s chip%s" : "%d submission%s of %s chip%s"
do for [i=1:levels_device] { set label 500 + i sprintf(how_many, count_of[i], count_of[i] == 1 ? "" : "s", least_of[i] == most_of[i] ? sprintf("%d", most_of[i]) : sprintf("%d to %d", least_of[i], most_of[i]), most_of[i] == 1 ? "" : "s") at graph 1.02, first i left offset 0,(narrow ? 0.4 : 0) font ",9" textcolor rgb muted noenhanced }
sound(i) = none(strcol(c_doubt))
plot $data using (sound(0) ? column(c_per_chip) : NaN):(column(c_device_level)):(tint(colour[1])) with points pt 7 ps 1.1 lc rgb variable, \
     '' using (sound(0) ? NaN : column(c_per_chip)):(column(c_device_level)):(tint(muted)) with points pt 6 ps 1.1 lw 1.4 lc rgb variable
