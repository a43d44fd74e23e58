-- 090_day.sql - what `day` is, in every view that has `date` (each view ends with it).

INSERT INTO column_doc (view, place, column_name, unit, meaning)
SELECT d.view, (SELECT max(o.place) + 1 FROM column_doc o WHERE o.view = d.view), 'day', '',
       'first day that date can mean, YYYY-MM-DD: functions of dates take a year alone for a number of days'
  FROM column_doc d
 WHERE d.column_name = 'date';
