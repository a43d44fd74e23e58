# title: Cheapest systems for a training
# finding: {leader} is the cheapest for {work}: {best} USD; {second} costs {gap} more
# finding: {tied} are the cheapest for {work}: {best} USD
# finding: {only} alone can be chosen for {work}: {best} USD
# subtitle: {work}: USD of one training†, whole systems at the lowest price; line: up to the highest offer
# ranks: usd_of_run device low
# like: choose
# with: time_to_train=any
# needs: usd_of_run>0
# sets: mlperf price
# hint: name a training, --model llama2_70b_lora (abdb query coverage lists what is here), and give prices by --price, or import some
