/** Connect's types name DOM's HeadersInit; without it, wrong header values would compile. */
type HeadersInit = ConstructorParameters<typeof Headers>[0];
