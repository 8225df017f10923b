/** With a second in place of minutes and days, as the routing. */
export const shortenRules = (rules: string): string =>
  replaceAll(rules, [[/^( +(?:keep_firing_)?for): .+$/gm, (_, key) => `${key}: 1s`]])

export type RoutingTarget = Readonly<{
  /** Each receiver has its own path below. */
  url: string
  tokenFile: string
}>

/** With its addresses filled in. The receiver `nobody` gets one, too, so that its notifications can be seen. */
export function shortenRouting(example: string, { url, tokenFile }: RoutingTarget): string {
  const token = JSON.stringify(tokenFile)
  const hook = `    webhook_configs:
      - url: https://your-receiver.example/nobody
        http_config: { authorization: { credentials_file: /run/secrets/receiver-token } }
`
  return replaceAll(example, [
    [/^ {2}- name: nobody\n/gm, (name) => name + hook],
    [/https:\/\/your-receiver\.example/g, () => url],
    [/\/run\/secrets\/receiver-token/g, () => token],
    [/(group_wait|group_interval): \S+/g, (_, key) => `${key}: 1s`],
  ])
}

type Replacement = readonly [pattern: RegExp, to: (...groups: string[]) => string]

/** @throws when a pattern matches nothing: the files have changed */
function replaceAll(text: string, replacements: readonly Replacement[]) {
  let result = text
  for (const [pattern, to] of replacements) {
    const next = result.replace(pattern, to)
    if (next === result) throw new Error(`there is nothing like ${pattern.source} in the file`)
    result = next
  }
  return result
}
