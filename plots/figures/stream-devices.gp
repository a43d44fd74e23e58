# title: Memory bandwidth by device
# finding: Loops over memory run at {min gb_per_s} to {max gb_per_s} GB/s
# subtitle: GB/s by operation; the bar is the bandwidth that a sheet states, where one does
# report: streams
# with: limit=16
# needs: gb_per_s>0
# levels: device operation
# size: 720,130
# grow: 24 device
# room: 190
# narrow: 110
# sets: stream specs
# hint: import the output of BabelStream or STREAM, or abdb run --plan stream
# A row a device, a mark an operation; the bar is the published bandwidth, where it is known.
set xlabel "GB/s"
set yrange [levels_device + 0.5 : 0.5] noreverse
set for [i=1:levels_device] ytics (tic_words(folded(level_device[i])) i)
set ytics scale 0
set grid xtics ytics
set lmargin at screen (14 + name_px * folded_widest(level_device_widest)) / width
top = max_spec_gb_per_s > max_gb_per_s ? max_spec_gb_per_s : max_gb_per_s
if (wide(min_gb_per_s, top)) { set logscale x; set xrange [0.6 * min_gb_per_s : 1.5 * top] } else { set xrange [0 : 1.05 * top] }
key_entries = levels_operation + 1; key_widest = 20; eval lay_key
is(k) = int(column(c_operation_level)) == k
plot $data using (column(c_spec_gb_per_s)):(column(c_device_level)):(0):(0.35) with xyerrorbars dt 1 lc rgb muted lw 2 ps 0 title "published", \
     for [k=1:levels_operation] '' using (is(k) ? column(c_gb_per_s) : NaN):(column(c_device_level)) with points lt k ps 1 title level_operation[k]
