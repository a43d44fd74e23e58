-- title: Cost of an owned device-hour
-- question: what owning costs per hour: capital, life, utilisation, power, PUE and electricity are options
-- group: What does it cost?
-- param: capital | number 0.. | 30000 | price of a device with its share of the system, USD
-- param: life | number >0.. | 4 | years until it is worth nothing
-- param: utilisation | number >0..1 | 0.7 | fraction of its life that it works
-- param: power | number 0.. | 700 | W, device with its share of the system
-- param: pue | number 1.. | 1.3 | power usage effectiveness of the building
-- param: electricity | number 0.. | 0.10 | USD per kWh
-- param: grid | number 0.. | | grams of CO2 equivalent per kWh of the grid
-- param: assumed_on | date | | the day of which PUE, electricity and grid intensity are
-- column: usd_per_device_hour | USD/h/device | 4 | capital and electricity
-- column: capital_usd_per_hour | capital | 4 | capital / (life x 8760 x utilisation)
-- column: energy_usd_per_hour | electricity | 4 | power x PUE x price
-- column: gco2_per_device_hour | gCO2e/h/device | 4 | power x PUE x grid intensity
-- bare: gco2_per_device_hour
-- note: cost@1, the reader's own assumptions: not a price of anybody
SELECT capital + energy AS usd_per_device_hour, capital AS capital_usd_per_hour, energy AS energy_usd_per_hour,
       :power / 1000.0 * :pue * :grid AS gco2_per_device_hour
  FROM (SELECT :capital / (:life * 8760 * :utilisation) AS capital, :power / 1000.0 * :pue * :electricity AS energy) c;
-- @notes
SELECT 'PUE ' || :pue || ', ' || :electricity || ' USD per kWh' || coalesce(', ' || :grid || ' g of CO2 equivalent per kWh', '') || coalesce(', of ' || :assumed_on, ', of no stated day: --assumed-on') AS line;
