/** The body of every answer that is no success. */
export const problem = (message: string): { readonly message: string } => ({ message })

export const NOT_YET = problem('the first pass has not ended yet')
