# title: MLPerf® Inference by device and scenario, tokens/s per device: {model} {round}
# report: llm-by-scenario
# with: limit=14
# size: 720,120
# grow: 40 rows
# levels: device
# sets: mlperf llm
# Three bars a device: Offline, Server, Interactive; tokens/s per device (derived). No bar: no result.
set yrange [rows - 0.4 : -0.6] noreverse
set xrange [0 : *]
key_widest = 11
eval lay_key
set xlabel "tokens/s per device† (derived)"
set ytics scale 0
set grid noytics xtics
set format x si(max_offline > max_server ? max_offline : max_server)
set lmargin at screen (14 + name_px * level_device_widest) / width
set rmargin at screen 1 - 60.0 / width
high = 0.27
bar(k) = $0 + (k - 1) * 0.29
plot for [k=0:2] $data using (0):0:(0):(column(c_offline + k)):(bar(k) - high / 2):(bar(k) + high / 2):ytic(level_device[int(column(c_device_level))]) with boxxyerror lc rgb colour[k == 0 ? 1 : k == 1 ? 2 : 8] fs solid (k == 2 ? 0.55 : 0.95) title word("Offline Server Interactive", k + 1), \
     for [k=0:2] '' using (column(c_offline + k)):(bar(k)):(sprintf(" %.0f", column(c_offline + k))) with labels left font ",8" textcolor rgb ink notitle
