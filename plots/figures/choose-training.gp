# title: Cheapest systems for a training within {time_to_train}
# finding: {leader} is the cheapest for {work} within {_within}: {best} USD on {first devices} devices; {second} costs {gap} more
# finding: {tied} are the cheapest for {work} within {_within}: {best} USD
# finding: {only} alone can be chosen for {work} within {_within}: {best} USD on {first devices} devices
# finding: {leader} is the cheapest for {work}: {best} USD on {first devices} devices; {second} costs {gap} more
# finding: {tied} are the cheapest for {work}: {best} USD
# finding: {only} alone can be chosen for {work}: {best} USD on {first devices} devices
# subtitle: USD of one training† of {work}, each device on a system of its own size, {_prices}; circle: highest offer
# ranks: usd_of_run device low
# like: choose
# with: time_to_train=any
# needs: usd_of_run>0
# sets: mlperf price
# hint: name another training by --model (abdb query coverage lists what is here) or a longer --time-to-train, and give prices by --price, or import some
