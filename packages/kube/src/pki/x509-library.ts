// @peculiar/x509 uses decorators to resolve its parts, and they need this metadata before the library is evaluated.
import 'reflect-metadata';

export * as x509 from '@peculiar/x509';
