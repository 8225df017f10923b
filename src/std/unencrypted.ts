/** `localhost`, 127.0.0.0/8 and `::1`, as an address or in a URL, where it has brackets. */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || /^\[?::1\]?$/.test(host) || /^127(\.\d{1,3}){3}$/.test(host)

/** Whether others can read on the way what is sent to a URL: http to another machine. */
export function isUnencrypted(address: string): boolean {
  const url = URL.parse(address)
  return url?.protocol === 'http:' && !isLoopbackHost(url.hostname)
}
