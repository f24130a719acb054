// @peculiar/x509 resolves its parts with decorators, which need this metadata before the library is evaluated.
import 'reflect-metadata';

export * as x509 from '@peculiar/x509';
