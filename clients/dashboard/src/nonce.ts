/** The nonce that lets this page add styles of its own under its strict policy. */

export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
}

// The one name under which the scroll lock of dialogs looks for it.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() });
