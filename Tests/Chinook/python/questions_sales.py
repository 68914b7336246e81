"""Questions about what was sold, when and where. Each query is named as its question in questions.json."""

from cormorant import alias, func, scalar, select
from models import Genre, Invoice, InvoiceLine, Track

_year = func.strftime("%Y", Invoice.date)
_month = func.strftime("%Y-%m", Invoice.date)
_total = func.sum(Invoice.total)

invoices_per_year = select(_year.label("year"), func.count(), func.round(_total, 2)).group_by(_year).order_by("year")

running_total_by_month = (
    select(_month.label("month"), func.round(_total, 2), func.round(func.sum(_total).over(order_by=_month), 2))
    .group_by(_month)
    .order_by("month")
)

_neighbours = "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING"
_previous = func.lag(_total).over(order_by=_month)
_months = (
    select(_month.label("month"), _total.label("total"), _previous.label("previous")).group_by(_month).cte("months")
)
average_of_three_months = select(
    _months.c.month, func.round(func.avg(_months.c.total).over(order_by=_months.c.month, frame=_neighbours), 2)
).order_by("month")

_loss = func.round(_months.c.previous - _months.c.total, 2)
months_with_a_loss = select(_months.c.month, _loss).where(_loss > 0).order_by("month")

_sold = func.sum(InvoiceLine.quantity)
_sales = (
    select(
        Invoice.country.label("country"),
        InvoiceLine.track.genre.name.label("genre"),
        _sold.label("sold"),
        func.rank().over(partition_by=Invoice.country, order_by=_sold.desc()).label("place"),
    )
    .from_(InvoiceLine)
    .join(InvoiceLine.invoice)
    .group_by(Invoice.country, InvoiceLine.track.genre.id)
    .cte("sales")
)
best_selling_genre_per_country = (
    select(_sales.c.country, _sales.c.genre, _sales.c.sold).where(_sales.c.place == 1).order_by("country", "genre")
)

_home = InvoiceLine.invoice.country == "USA"
genres_at_home_and_abroad = (
    select(Genre.name, func.count().filter(_home), func.count().filter(~_home))
    .join(Genre.tracks)
    .join(Track.lines)
    .group_by(Genre.id)
    .order_by(Genre.name)
)

_revenue = func.round(func.sum(InvoiceLine.unit_price * InvoiceLine.quantity), 2)
top_ten_artists = (
    select(InvoiceLine.track.album.artist.name.label("artist"), _revenue.label("revenue"))
    .group_by(InvoiceLine.track.album.artist.id)
    .order_by("-revenue", "artist")
    .limit(10)
)

tracks_never_sold = select(Track.id, Track.name).where(Track.lines.none()).order_by(Track.id)

_other = alias(Invoice, "other")
_dearest = scalar(select(func.max(_other.total)).where(func.strftime("%Y", _other.date) == _year))
dearest_invoice_of_each_year = (
    select(_year.label("year"), Invoice.id, Invoice.customer.last_name, Invoice.total)
    .where(Invoice.total == _dearest)
    .order_by("year", Invoice.id)
)

invoices_on_weekends = (
    select(_year.label("year"), func.count())
    .where(func.strftime("%w", Invoice.date).in_(["0", "6"]))
    .group_by(_year)
    .order_by("year")
)

_jazz = select(InvoiceLine.invoice.country).where(InvoiceLine.track.genre.name == "Jazz")
countries_without_jazz = select(Invoice.country).except_(_jazz).order_by("country")
