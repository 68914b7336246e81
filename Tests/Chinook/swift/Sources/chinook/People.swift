import Cormorant

// Questions about customers and employees.

@Model
struct CustomerSales {
    var agent: String?
    var place: Int64
    var customer: String
    var total: Double?
}

private let customerSales = Customer.join(Invoice.self) { customer, invoice in invoice.customerID == customer.id }
    .group { customer, invoice in customer.id }
    .select { customer, invoice in
        let total = invoice.total.sum().rounded(digits: 2)
        return CustomerSales.Columns(
            agent: customer.agent.lastName,
            place: call("row_number").over(.partition(by: customer.agentID).order(by: total.desc(), customer.id)),
            customer: customer.lastName, total: total)
    }
    .cte("spent")

private let topCustomersOfEachAgent = customerSales.where { $0.place <= 5 }
    .order { ($0.agent, $0.place) }

@Model
struct Spent {
    var total: Double?
}

private let spent = Invoice.all.group { $0.customerID }.select { Spent.Columns(total: $0.total.sum()) }
private let averageSpent = Spent.from(spent).select { $0.total.average() }.scalar()

private let customersAboveTheAverage = Customer.join(Invoice.self) { $0.id == $1.customerID }
    .group { customer, invoice in customer.id }
    .having { customer, invoice in invoice.total.sum() > averageSpent }
    .order { customer, invoice in (customer.lastName, customer.firstName) }
    .select { customer, invoice in (customer.firstName, customer.lastName, invoice.total.sum().rounded(digits: 2)) }

private func tracks(of artist: Artist.Columns) -> SelectQuery<Track, Track.Columns> {
    Track.where { $0.album.artistID == artist.id }
}

private func tracks(
    of artist: Artist.Columns, notBoughtBy customer: Customer.Columns
) -> SelectQuery<Track, Track.Columns> {
    tracks(of: artist).where { track in !track.lines.contains { $0.invoice.customerID == customer.id } }
}

// All of an artist: there is no track of the artist that was not bought.
private let customersWhoBoughtAllOfAnArtist = Customer.all.crossJoin(Artist.self)
    .where { customer, artist in
        tracks(of: artist).select { _ in count() }.scalar() >= 2
            && !tracks(of: artist, notBoughtBy: customer).exists()
    }
    .order { customer, artist in (customer.lastName, artist.name) }
    .select { customer, artist in (customer.lastName, artist.name) }

private let customersInTheSameCity = Customer.join(Customer.self, as: "other") { $0.city == $1.city && $0.id < $1.id }
    .order { customer, other in (customer.city, customer.id, other.id) }
    .select { customer, other in (customer.city, customer.lastName, other.lastName) }

private let customersByCompany = Customer.all.order { ($0.company.asc().nullsLast(), $0.lastName) }
    .select { ($0.company, $0.lastName, $0.state ?? $0.country) }

private func days(_ invoice: Invoice.Columns) -> SQLExpression<Int64> {
    let last: SQLExpression<Double> = call("julianday", invoice.date.max())
    let first: SQLExpression<Double> = call("julianday", invoice.date.min())
    return (last - first).cast(to: Int64.self)
}

private let daysBetweenFirstAndLastInvoice = Customer.join(Invoice.self) { $0.id == $1.customerID }
    .group { customer, invoice in customer.id }
    .order { customer, invoice in (days(invoice).desc(), customer.lastName) }
    .select { customer, invoice in
        (
            customer.lastName, call("date", invoice.date.min(), as: String.self),
            call("date", invoice.date.max(), as: String.self), days(invoice)
        )
    }

private func mailDomain(_ customer: Customer.Columns) -> SQLExpression<String> {
    let at: SQLExpression<Int64> = call("instr", customer.email, SQLExpression("@"))
    return call("substr", customer.email, at + 1)
}

private let mailDomains = Customer.all.group { mailDomain($0) }
    .having { _ in count() > 1 }
    .order { (count().desc(), mailDomain($0)) }
    .select { (mailDomain($0), count()) }

private let employeesAndTheirManagers = Employee.all.order { $0.lastName }.select { ($0.lastName, $0.manager.lastName) }

@Model
struct Chain {
    var id: Int64
    var level: Int64
    var path: String
}

private let chain = Employee.where { $0.reportsTo == nil }
    .select { Chain.Columns(id: $0.id, level: SQLExpression(0), path: $0.lastName) }
    .cte("chain") { chain in
        Employee.join(Chain.self, from: chain) { employee, chain in employee.reportsTo == chain.id }
            .select { employee, chain in
                Chain.Columns(
                    id: employee.id, level: chain.level + 1, path: chain.path + " > " + employee.lastName)
            }
    }

private let reportingChain = chain.order { $0.path }

private func paid(toCustomersOf agent: Employee.Columns) -> SQLExpression<Double?> {
    Invoice.where { $0.customer.agentID == agent.id }.select { $0.total.sum().rounded(digits: 2) }.scalar()
}

private let agentsAndTheirCustomers = Employee.where { !$0.customers.isEmpty() }
    .order { $0.lastName }
    .select {
        ($0.lastName, $0.customers.count(), $0.customers.count { $0.country == "USA" }, paid(toCustomersOf: $0))
    }

@Model
struct AgentCountry {
    var agent: String?
    var country: String?
}

private let agentCountries = Customer.where { $0.agentID != nil }
    .select { AgentCountry.Columns(agent: $0.agent.lastName, country: $0.country) }
    .distinct()
    .order { ($0.agent.lastName, $0.country) }

private let countriesOfEachAgent = AgentCountry.from(agentCountries).group { $0.agent }
    .order { $0.agent }
    .select { ($0.agent, $0.country.joined(separator: ", ")) }

private func year(_ date: SQLExpression<String?>) -> SQLExpression<Int64?> {
    call("strftime", SQLExpression("%Y"), date, as: String?.self).cast(to: Int64?.self)
}

private func monthAndDay(_ date: SQLExpression<String?>) -> SQLExpression<String?> {
    call("strftime", SQLExpression("%m-%d"), date)
}

private let ageWhenHired = Employee.all.order { $0.lastName }
    .select {
        let birthdayToCome = monthAndDay($0.hireDate) < monthAndDay($0.birthDate)
        return ($0.lastName, year($0.hireDate) - year($0.birthDate) - birthdayToCome.read(as: Int64?.self))
    }

private let citiesOfAllPeople = Customer.select { ($0.city, $0.country) }
    .union(Employee.select { ($0.city, $0.country) })
    .order { $0.city }

private let citiesOfBoth = Customer.select { $0.city }.intersect(Employee.select { $0.city }).order { $0.city }

let peopleQuestions: [Question] = [
    Question("top_customers_of_each_agent", topCustomersOfEachAgent),
    Question("customers_above_the_average", customersAboveTheAverage),
    Question("customers_who_bought_all_of_an_artist", customersWhoBoughtAllOfAnArtist),
    Question("customers_in_the_same_city", customersInTheSameCity),
    Question("customers_by_company", customersByCompany),
    Question("days_between_first_and_last_invoice", daysBetweenFirstAndLastInvoice),
    Question("mail_domains", mailDomains),
    Question("employees_and_their_managers", employeesAndTheirManagers),
    Question("reporting_chain", reportingChain),
    Question("agents_and_their_customers", agentsAndTheirCustomers),
    Question("countries_of_each_agent", countriesOfEachAgent),
    Question("age_when_hired", ageWhenHired),
    Question("cities_of_all_people", citiesOfAllPeople),
    Question("cities_of_both", citiesOfBoth),
]
