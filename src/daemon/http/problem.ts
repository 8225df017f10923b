/** Body of every answer without success. */
export const problemBody = (message: string): { readonly message: string } => ({ message })

export const NOT_READY = problemBody('the first pass has not ended yet')
