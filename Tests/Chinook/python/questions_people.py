"""Questions about customers and employees. Each query is named as its question in questions.json."""

from cormorant import alias, exists, func, literal, scalar, select
from models import Artist, Customer, Employee, Invoice, InvoiceLine, Track

_total = func.sum(Invoice.total)

_spent = (
    select(
        Customer.agent.last_name.label("agent"),
        func.row_number()
        .over(partition_by=Customer.agent_id, order_by=[func.round(_total, 2).desc(), Customer.id])
        .label("place"),
        Customer.last_name.label("customer"),
        func.round(_total, 2).label("total"),
    )
    .join(Customer.invoices)
    .group_by(Customer.id)
    .cte("spent")
)
top_customers_of_each_agent = select(*_spent.c).where(_spent.c.place <= 5).order_by("agent", "place")

_per_customer = select(_total.label("total")).group_by(Invoice.customer_id).subquery("per_customer")
_average = scalar(select(func.avg(_per_customer.c.total)))
customers_above_the_average = (
    select(Customer.first_name, Customer.last_name, func.round(_total, 2))
    .join(Customer.invoices)
    .group_by(Customer.id)
    .having(_total > _average)
    .order_by("last_name", "first_name")
)

# All of an artist: there is no track of the artist that was not bought.
_bought = Track.lines.any(InvoiceLine.invoice.customer_id == Customer.id)
_of_the_artist = Track.album.artist_id == Artist.id
_tracks = scalar(select(func.count()).from_(Track).where(_of_the_artist))
customers_who_bought_all_of_an_artist = (
    select(Customer.last_name, Artist.name)
    .cross_join(Artist)
    .where(_tracks >= 2, ~exists(Track.where(_of_the_artist, ~_bought)))
    .order_by("last_name", Artist.name)
)

_other = alias(Customer, "other")
customers_in_the_same_city = (
    select(Customer.city, Customer.last_name, _other.last_name)
    .join(_other, (Customer.city == _other.city) & (Customer.id < _other.id))
    .order_by(Customer.city, Customer.id, _other.id)
)

customers_by_company = select(
    Customer.company, Customer.last_name, func.coalesce(Customer.state, Customer.country)
).order_by(Customer.company.asc(nulls="last"), Customer.last_name)

_first, _last = func.min(Invoice.date), func.max(Invoice.date)
_days = (func.julianday(_last) - func.julianday(_first)).cast(int)
days_between_first_and_last_invoice = (
    select(Customer.last_name, func.date(_first), func.date(_last), _days.label("days"))
    .join(Customer.invoices)
    .group_by(Customer.id)
    .order_by("-days", Customer.last_name)
)

_domain = func.substr(Customer.email, func.instr(Customer.email, "@") + 1)
mail_domains = (
    select(_domain.label("domain"), func.count().label("customers"))
    .group_by(_domain)
    .having(func.count() > 1)
    .order_by("-customers", "domain")
)

employees_and_their_managers = select(Employee.last_name, Employee.manager.last_name).order_by(Employee.last_name)

_chain = (
    select(Employee.id, literal(0).label("level"), Employee.last_name.label("path"))
    .where(Employee.reports_to.is_null())
    .cte("chain")
)
_chain = _chain.union_all(
    select(Employee.id, _chain.c.level + 1, _chain.c.path.concat(" > ", Employee.last_name)).join(
        _chain, Employee.reports_to == _chain.c.id
    )
)
reporting_chain = select(*_chain.c).order_by("path")

_paid = scalar(select(func.round(_total, 2)).where(Invoice.customer.agent_id == Employee.id))
agents_and_their_customers = (
    select(Employee.last_name, Employee.customers.count(), Employee.customers.count(Customer.country == "USA"), _paid)
    .where(Employee.customers.any())
    .order_by(Employee.last_name)
)

_countries = (
    select(Customer.agent.last_name.label("agent"), Customer.country.label("country"))
    .distinct()
    .where(Customer.agent_id.is_not_null())
    .order_by("agent", "country")
    .subquery("countries")
)
countries_of_each_agent = (
    select(_countries.c.agent, func.group_concat(_countries.c.country, ", "))
    .group_by(_countries.c.agent)
    .order_by(_countries.c.agent)
)

_birthday_to_come = func.strftime("%m-%d", Employee.hire_date) < func.strftime("%m-%d", Employee.birth_date)
_years = func.strftime("%Y", Employee.hire_date).cast(int) - func.strftime("%Y", Employee.birth_date).cast(int)
age_when_hired = select(Employee.last_name, _years - _birthday_to_come).order_by(Employee.last_name)

_customer_cities = select(Customer.city, Customer.country)
cities_of_all_people = _customer_cities.union(select(Employee.city, Employee.country)).order_by("city")
cities_of_both = select(Customer.city).intersect(select(Employee.city)).order_by("city")
