# title: MLPerf® Inference by device and scenario, tokens/s per device: {model} {round}
# finding: {leader} leads Server in {model} at {best} tokens/s per device; {second} is {gap} behind; the best of another vendor, {rival}, {rival_gap}
# finding: {leader} leads Server in {model} at {best} tokens/s per device; {second} is {gap} behind
# finding: {tied} share the lead in Server of {model} at {best} tokens/s per device
# subtitle: Tokens/s per device†, the best of each scenario, by Server; at the right the rounds
# ranks: server device
# report: llm-by-scenario
# with: limit=14
# needs: of
# size: 720,110
# grow: 36 rows
# room: 160
# levels: device
# sets: mlperf llm
# Three bars a device: Offline, Server, Interactive; tokens/s per device (derived). No bar: no result.
set yrange [rows - 0.4 : -0.6] noreverse
key_widest = 11; key_entries = 3
eval lay_key
set ytics scale 0
set border 2
unset xtics
unset grid
most = max_offline > max_server ? max_offline : max_server
most = max_interactive > most ? max_interactive : most
set xrange [0 : 1.14 * most]
set bmargin at screen foot_room + 6.0 / height
set lmargin at screen (14 + name_px * level_device_widest) / width
set rmargin at screen 1 - (16 + 5.6 * widest_rounds) / width
high = 0.26
bar(k) = $0 + (k - 1) * 0.28
shade(k) = tint(k == 0 ? colour[6] : k == 1 ? colour[1] : colour[8])
plot for [k=0:2] $data using (0):0:(0):(column(c_offline + k)):(bar(k) - high / 2):(bar(k) + high / 2):(shade(k)):ytic(level_device[int(column(c_device_level))]) with boxxyerror lc rgb variable fs solid (k == 2 ? 0.55 : 0.95) notitle, \
     for [k=0:2] '' using (column(c_offline + k)):(bar(k)):(sprintf(" %.0f", column(c_offline + k))) with labels left font (k == 1 ? bold : "") . ",8.5" textcolor rgb (k == 1 ? ink : muted) notitle, \
     '' using (1.13 * most):0:(strcol(c_rounds)) with labels left font ",9" textcolor rgb muted noenhanced notitle, \
     for [k=0:2] NaN with boxes lc rgb (k == 0 ? colour[6] : k == 1 ? colour[1] : colour[8]) fs solid (k == 2 ? 0.55 : 0.95) title word("Offline Server Interactive", k + 1)
