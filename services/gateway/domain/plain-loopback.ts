/** The one place for plain HTTP: the machine itself. */

/** Whether the URL is plain HTTP on the loopback interface, where cookies need not be Secure. */
export function isPlainLoopback(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === "http:" && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
