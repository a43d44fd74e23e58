# title: MLPerf® Inference, LLM benchmarks: best submission per accelerator {round} {model} {scenario}
# finding: {leader} leads {model} {scenario} at {best} tokens/s per chip; {second} is {gap} behind; the best of another vendor, {rival}, {rival_gap}
# finding: {leader} leads {model} {scenario} at {best} tokens/s per chip; {second} is {gap} behind
# finding: {tied} share the lead in {model} {scenario} at {best} tokens/s per chip
# finding: {only} reaches {best} tokens/s per chip in {model} {scenario}; no other accelerator has a result here
# subtitle: Tokens/s per chip†, the best submission of each accelerator
# ranks: tokens_per_s_per_chip accelerator
# report: mlperf-llm
# needs: tokens_per_s_per_chip>0
# with: one
# size: 720,92
# grow: 24 rows
# room: 255
# narrow: 120
# sets: mlperf llm
# Horizontal bars, best first: tokens per second and chip (derived), labelled with value, chips and
# submitter, so that the picture can be read without colour. ‡ marks a device whose sources disagree.
unset key
unset xtics
set border 2
set ytics scale 0
unset grid
# One benchmark and scenario: the accelerator names a bar. Several: the bar says which.
first = ""; same = 1
group(i) = strcol(c_model) . " " . strcol(c_scenario)
stats $data using (first eq "" ? (first = group(0), 0) : (same = same && first eq group(0), 0)) nooutput
set yrange [rows - 0.4 : -0.6] noreverse
set xrange [0 : (narrow ? 1.4 : 1.17) * max_tokens_per_s_per_chip]
name(i) = same ? strcol(c_accelerator) : strcol(c_accelerator) . ", " . group(0)
if (!same) { set ytics font ",9" }
set lmargin at screen (14 + name_px * (same ? widest_accelerator : 0.9 * (widest_accelerator + widest_model + 12))) / width
set rmargin at screen 1 - (16 + 5.8 * (widest_submitter + 10)) / width
# Narrow: chips and submitter stand below the name.
letters = same ? widest_accelerator : widest_accelerator + widest_model + 12
if (narrow) { set ytics format ""; set lmargin at screen (18 + (4.9 * (widest_submitter + 10) > 5.9 * letters ? 4.9 * (widest_submitter + 10) : 5.9 * letters)) / width; set rmargin at screen 1 - 14.0 / width }
set tmargin at screen 1 - head_room - 2.0 / height
set bmargin at screen foot_room + 8.0 / height
shown(i) = narrow ? "" : name(0)
half = 0.36
note_font = narrow ? ",8" : ",9"; name_font = same ? ",10" : ",9"
if (narrow) { note_side = 'right offset -0.6,0' } else { note_side = 'left' }
note(i) = sprintf("%d chip%s, %s", int(column(c_chips)), column(c_chips) == 1 ? "" : "s", strcol(c_submitter))
number(i) = sprintf(" %.0f%s", column(c_tokens_per_s_per_chip), strcol(c_of__mark))
plot $data using (0):0:(0):(column(c_tokens_per_s_per_chip)):($0 - half):($0 + half):(tint(colour[1])):ytic(shown(0)) with boxxyerror lc rgb variable, \
     '' using (column(c_tokens_per_s_per_chip)):0:(number(0)) with labels left textcolor rgb ink font bold . ",10" noenhanced, \
     '' using (narrow ? 0 : 1.16 * max_tokens_per_s_per_chip):($0 + (narrow ? 0.24 : 0)):(note(0)) with labels @note_side textcolor rgb muted font note_font noenhanced, \
     '' using (narrow ? 0 : NaN):($0 - 0.2):(name(0)) with labels right offset -0.6,0 textcolor rgb ink font name_font noenhanced
