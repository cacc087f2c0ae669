package referee
type memory struct{}
