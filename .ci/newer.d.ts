/** The same image by its newest tag of the same series, with the digest of that tag. Rejects if its registry does not answer. */
export function newestImage(image: string): Promise<string>;
