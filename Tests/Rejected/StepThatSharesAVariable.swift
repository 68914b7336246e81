// mutation of captured var 'count' in concurrently-executing code
import Cormorant

func stepThatSharesAVariable() -> MigrationStep {
    var count = 0
    return MigrationStep("1", up: .function { _ in count += 1 })
}
