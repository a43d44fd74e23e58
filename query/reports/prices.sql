-- title: Prices, with date, provider and age
-- site: Price and cost
-- param: device | text | | one device | SELECT DISTINCT device FROM v_price ORDER BY 1
-- param: provider | text | | one provider | SELECT DISTINCT provider FROM v_price ORDER BY 1
-- param: today | date | | the day to which the age is counted (default: today)
-- column: device | device | |
-- column: per_device_hour | USD/h/device | 4 | derived: the amount, shared by the devices
-- column: amount | amount | 2 | for all devices
-- column: devices | devices | | 1: published per device
-- column: provider | provider | |
-- column: instance | instance | |
-- column: kind | kind | |
-- column: region | region | |
-- column: valid_from | of | | date of the price
-- column: age_days | days old | 0 |
-- column: source | source | |
-- column: locator | where | cut40 |
-- hoist: kind region source
SELECT device, per_device_hour, amount, devices, provider, instance, kind, region, valid_from,
       julianday(coalesce(:today, date('now'))) - julianday(valid_from) AS age_days, source, locator, key AS _facts
  FROM v_price
 WHERE (:device IS NULL OR device = :device) AND (:provider IS NULL OR provider = :provider)
 ORDER BY device, per_device_hour, key;
