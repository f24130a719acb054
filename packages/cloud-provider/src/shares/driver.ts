/** Name of the provisioner in StorageClasses: that of manila-csi-plugin. */
export const SHARE_DRIVER = 'manila.csi.openstack.org';

/** On PersistentVolumes: the id of their share. */
export const SHARE_ANNOTATION = 'fairway.dev/share';
/** In a share's metadata: the networks that its nodes' addresses are to be in; all of them without it. */
export const SHARE_CLIENT_KEY = 'fairway.dev/share-client';
