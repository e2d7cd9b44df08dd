import calendar
import datetime as dt
from datetime import date, datetime, timedelta, timezone

d = datetime(2024, 2, 28, 23, 59, 30, 123456)
print(d, repr(d), d.isoformat(), d.date(), d.time())
print(d + timedelta(days=1, hours=3), d - timedelta(weeks=2))
print(d.strftime("%Y-%m-%d %H:%M:%S.%f %a %A %b %B %j %U %w %y %p %I %%"))
print(datetime.strptime("2021-03-04 05:06:07", "%Y-%m-%d %H:%M:%S"))
print(datetime.strptime("4 Mar 2021", "%d %b %Y").date())
print(timedelta(seconds=90061), timedelta(days=-1, seconds=5), timedelta(minutes=3) / 2, timedelta(hours=1) // 7)
print((datetime(2024, 3, 1) - datetime(2023, 3, 1)).days, timedelta(days=2).total_seconds())
print(date(2024, 2, 29).weekday(), tuple(date(2024, 2, 29).isocalendar()), date.fromisoformat("2020-01-31"))
print(datetime.fromisoformat("2024-05-01T12:30:00+02:00"), datetime(2024, 1, 1, tzinfo=timezone.utc))
print(datetime(2024, 1, 1, tzinfo=timezone(timedelta(hours=-5))).astimezone(timezone.utc))
print(d.replace(year=2000), d < datetime(2025, 1, 1), max(d, datetime(2030, 1, 1)).year)
print(calendar.isleap(2024), list(map(int, calendar.monthrange(2024, 2))), calendar.month_name[3], calendar.day_abbr[0])
print(calendar.month(2024, 2))
print(dt.MINYEAR, dt.MAXYEAR, datetime.fromtimestamp(0, timezone.utc), datetime.max)
for wrong in (lambda: datetime.strptime("x", "%Y"),):
    try:
        wrong()
    except Exception as e:
        print(type(e).__name__, e)
