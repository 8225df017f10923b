// The rules and the routing that come with Dormouse, for people who will not wait: minutes and days become a second.

/** The rules as they are, but for how long an alert has to hold, and to be kept. */
export const shortenRules = (rules: string): string =>
  changed(rules, [[/^( +(?:keep_firing_)?for): .+$/gm, (_, key) => `${key}: 1s`]])

export type RoutingTarget = {
  /** Where the receivers of the example are; each has its own path. */
  readonly url: string
  /** With what they are told who is calling. */
  readonly tokenFile: string
}

/** The example of a routing, with its addresses filled in; who is called for nothing is told at `/nobody`, so that it can be seen. */
export function shortenRouting(example: string, { url, tokenFile }: RoutingTarget): string {
  const token = JSON.stringify(tokenFile)
  const hook = `    webhook_configs:
      - url: https://your-receiver.example/nobody
        http_config: { authorization: { credentials_file: /run/secrets/receiver-token } }
`
  return changed(example, [
    [/^ {2}- name: nobody\n/gm, (name) => name + hook],
    [/https:\/\/your-receiver\.example/g, () => url],
    [/\/run\/secrets\/receiver-token/g, () => token],
    [/(group_wait|group_interval): \S+/g, (_, key) => `${key}: 1s`],
  ])
}

type Change = readonly [from: RegExp, to: (...found: string[]) => string]

/** @throws where there is nothing to change: the files are no longer what this was written for */
function changed(text: string, changes: readonly Change[]): string {
  let changing = text
  for (const [from, to] of changes) {
    const next = changing.replace(from, to)
    if (next === changing) throw new Error(`there is nothing like ${from.source} in the file`)
    changing = next
  }
  return changing
}
