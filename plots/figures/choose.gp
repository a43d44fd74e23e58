# title: Cheapest systems for {rate}
# finding: {leader} is the cheapest for {rate}: {best} USD per hour; {second} costs {gap} more
# finding: {tied} are the cheapest for {rate}: {best} USD per hour
# finding: {only} alone can be chosen for {rate}: {best} USD per hour
# subtitle: USD per hour† for {work} {scenario}, whole systems at the lowest price; line: up to the highest offer
# ranks: usd_per_hour device low
# report: choose
# with: rate=100k/s
# needs: usd_per_hour>0
# levels: device
# size: 720,92
# grow: 24 rows
# room: 350
# sets: mlperf price
# hint: give prices by --price 'B200-SXM=4 USD/h', or import some
# A bar a purchase, cheapest first: what all that is rented costs an hour at the lowest price, or what the training
# costs. The thin line goes to what they cost at the highest offer. At the end of a bar: the cost, and how many devices
# that takes (and how long).
trains(n) = column(c_usd_of_run) > 0
cost(n) = trains(0) ? column(c_usd_of_run) : column(c_usd_per_hour)
dear(n) = column(c_dearest) > 0 ? cost(0) * column(c_rented) * column(c_dearest) / column(c_usd_per_hour) : cost(0)
money(x) = x < 1000 ? sprintf("%.3g", x) : sprintf("%.0f", x)
said(n) = sprintf("  %s %s: %d device%s", money(cost(0)), trains(0) ? "USD" : "USD/h", column(c_devices), column(c_devices) == 1 ? "" : "s")
stats $data using (cost(0)) name "cost" nooutput
stats $data using (dear(0)) name "dear" nooutput
stats $data using (trains(0)) name "trains" nooutput
set yrange [rows + 0.5 : 0.5] noreverse
set ytics scale 0
set border 3
unset key
set tmargin at screen 1 - head_room - 2.0 / height
set bmargin at screen foot_room + 46.0 / height
set xlabel (trains_max > 0 ? "USD of one training" : "USD per hour")
set grid xtics
set xrange [0 : 1.4 * cost_max > 1.02 * dear_max ? 1.4 * cost_max : 1.02 * dear_max]
set lmargin at screen (24 + name_px * (level_device_widest + 7)) / width
label(n) = sprintf("%s%s", strcol(c_device), strcol(c_how) eq "owned" ? " owned" : "")
plot $data using (0):(column(c_place)):(0):(cost(0)):(column(c_place) - 0.32):(column(c_place) + 0.32):(tint(colour[1])):ytic(label(0)) with boxxyerror fs solid 1 noborder lc rgb variable notitle, \
     '' using (cost(0)):(column(c_place)):(dear(0) - cost(0)):(0) with vectors nohead lw 1.2 dt 1 lc rgb ink notitle, \
     '' using (cost(0)):(column(c_place)):(said(0) . (trains(0) ? sprintf(", %.3g min", column(c_minutes)) : "")) with labels left offset 0,0.55 font ",9" tc rgb ink noenhanced notitle
