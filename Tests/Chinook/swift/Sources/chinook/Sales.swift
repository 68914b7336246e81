import Cormorant

// Questions about what was sold, when and where.

private func year(_ invoice: Invoice.Columns) -> SQLExpression<String> {
    call("strftime", SQLExpression("%Y"), invoice.date)
}

private func month(_ invoice: Invoice.Columns) -> SQLExpression<String> {
    call("strftime", SQLExpression("%Y-%m"), invoice.date)
}

private let invoicesPerYear = Invoice.all.group { year($0) }
    .order { year($0) }
    .select { (year($0), count(), $0.total.sum().rounded(digits: 2)) }

private let runningTotalByMonth = Invoice.all.group { month($0) }
    .order { month($0) }
    .select {
        (
            month($0), $0.total.sum().rounded(digits: 2),
            $0.total.sum().sum().over(.order(by: month($0))).rounded(digits: 2)
        )
    }

@Model
struct MonthlySales {
    var month: String
    var total: Double?
    var previous: Double?
}

private let monthlySales = Invoice.all.group { month($0) }
    .select {
        MonthlySales.Columns(
            month: month($0), total: $0.total.sum(),
            previous: call("lag", $0.total.sum()).over(.order(by: month($0))))
    }
    .cte("months")

private let averageOfThreeMonths = monthlySales.order { $0.month }
    .select {
        let neighbours = SQLWindow.order(by: $0.month).frame("ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING")
        return ($0.month, $0.total.average().over(neighbours).rounded(digits: 2))
    }

private func loss(_ sales: MonthlySales.Columns) -> SQLExpression<Double?> {
    (sales.previous - sales.total).rounded(digits: 2)
}

private let monthsWithALoss = monthlySales.where { loss($0) > 0 }
    .order { $0.month }
    .select { ($0.month, loss($0)) }

@Model
struct GenreSales {
    var country: String?
    var genre: String?
    var sold: Int64?
    var place: Int64
}

private let genreSales = InvoiceLine.all.group { ($0.invoice.country, $0.track.genre.id) }
    .select {
        GenreSales.Columns(
            country: $0.invoice.country, genre: $0.track.genre.name, sold: $0.quantity.sum(),
            place: call("rank").over(.partition(by: $0.invoice.country).order(by: $0.quantity.sum().desc())))
    }
    .cte("sales")

private let bestSellingGenrePerCountry = genreSales.where { $0.place == 1 }
    .order { ($0.country, $0.genre) }
    .select { ($0.country, $0.genre, $0.sold) }

private let genresAtHomeAndAbroad = InvoiceLine.all.group { $0.track.genre.id }
    .order { $0.track.genre.name }
    .select {
        let atHome = $0.invoice.country == "USA"
        return ($0.track.genre.name, count().filter(atHome), count().filter(!atHome))
    }

private func revenue(_ line: InvoiceLine.Columns) -> SQLExpression<Double?> {
    (line.unitPrice * line.quantity.read(as: Double.self)).sum().rounded(digits: 2)
}

private let topTenArtists = InvoiceLine.all.group { $0.track.album.artist.id }
    .order { (revenue($0).desc(), $0.track.album.artist.name) }
    .limit(10)
    .select { ($0.track.album.artist.name, revenue($0)) }

private let tracksNeverSold = Track.where { !$0.id.isIn(InvoiceLine.select { $0.trackID }) }
    .order { $0.id }
    .select { ($0.id, $0.name) }

private func dearest(inYearOf invoice: Invoice.Columns) -> SQLExpression<Double?> {
    Invoice.alias("other").where { year($0) == year(invoice) }.select { $0.total.max() }.scalar()
}

private let dearestInvoiceOfEachYear = Invoice.where { $0.total == dearest(inYearOf: $0) }
    .order { (year($0), $0.id) }
    .select { (year($0), $0.id, $0.customer.lastName, $0.total) }

private func weekday(_ invoice: Invoice.Columns) -> SQLExpression<String> {
    call("strftime", SQLExpression("%w"), invoice.date)
}

private let invoicesOnWeekends = Invoice.where { weekday($0).isIn(["0", "6"]) }
    .group { year($0) }
    .order { year($0) }
    .select { (year($0), count()) }

private let countriesWithJazz = InvoiceLine.where { $0.track.genre.name == "Jazz" }.select { $0.invoice.country }
private let countriesWithoutJazz = Invoice.select { $0.country }.except(countriesWithJazz).order { $0.country }

let salesQuestions: [Question] = [
    Question("invoices_per_year", invoicesPerYear),
    Question("running_total_by_month", runningTotalByMonth),
    Question("average_of_three_months", averageOfThreeMonths),
    Question("months_with_a_loss", monthsWithALoss),
    Question("best_selling_genre_per_country", bestSellingGenrePerCountry),
    Question("genres_at_home_and_abroad", genresAtHomeAndAbroad),
    Question("top_ten_artists", topTenArtists),
    Question("tracks_never_sold", tracksNeverSold),
    Question("dearest_invoice_of_each_year", dearestInvoiceOfEachYear),
    Question("invoices_on_weekends", invoicesOnWeekends),
    Question("countries_without_jazz", countriesWithoutJazz),
]
