/** Connect's types use the DOM type HeadersInit; without this declaration, wrong header values would compile. */
type HeadersInit = ConstructorParameters<typeof Headers>[0];
