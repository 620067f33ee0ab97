/** The nonce with which this page may add styles under its content security policy. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
}

// The scroll lock of dialogs reads the nonce from this global.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() });
